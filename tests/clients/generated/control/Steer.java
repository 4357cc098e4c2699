// Control by the client that openapi-generator makes in Java.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ClockApi;
import org.openapitools.client.api.FaultsApi;
import org.openapitools.client.api.JournalApi;
import org.openapitools.client.api.WorldsApi;
import org.openapitools.client.model.Assertion;
import org.openapitools.client.model.ClockChange;
import org.openapitools.client.model.FaultMatch;
import org.openapitools.client.model.FaultRule;
import org.openapitools.client.model.FaultRuleEffect;
import org.openapitools.client.model.FaultRuleEffectRateLimit;
import org.openapitools.client.model.WorldOptions;

class Steer {
    private static final String NAME = "generated-java";
    private static int failures;

    public static void main(String[] arguments) throws Exception {
        var client = new ApiClient();
        client.updateBaseUri(System.getenv("CHATDOUBLE_URL"));
        var worlds = new WorldsApi(client);
        var made = worlds.createWorld(new WorldOptions().forkOf("default").name(NAME));
        check("a world is forked", made.getName().equals(NAME));
        var clock = new ClockApi(client);
        var before = clock.getClock(NAME).getNow().doubleValue();
        var moved = clock.moveClock(NAME, new ClockChange().advanceSeconds("1d"));
        check("the clock moves by a day, as text", moved.getNow().doubleValue() == before + 86_400);
        check("something falls due on the way", !moved.getFired().isEmpty());
        moved = clock.moveClock(NAME, new ClockChange().advanceSeconds(86_400));
        check("the clock moves by a day, as a number", moved.getNow().doubleValue() == before + 172_800);
        var effect = new FaultRuleEffect().rateLimit(new FaultRuleEffectRateLimit().retryAfter(2));
        var rule = new FaultRule().effect(effect).match(new FaultMatch().path("/server_settings")).times(1L);
        new FaultsApi(client).installFault(NAME, rule);
        var http = HttpClient.newHttpClient();
        var settings = HttpRequest.newBuilder(URI.create(made.getUrl() + "/api/v1/server_settings")).build();
        var first = http.send(settings, BodyHandlers.ofString()).statusCode();
        check("a fault fires once", first == 429 && http.send(settings, BodyHandlers.ofString()).statusCode() == 200);
        var verified = new JournalApi(client).verifyJournal(NAME, new Assertion().path("/server_settings").exactly(2L));
        check("the journal is verified", verified.getCount() == 2);
        worlds.deleteWorld(NAME);
        System.exit(failures == 0 ? 0 : 1);
    }

    private static void check(String what, boolean holds) {
        System.out.println((holds ? "ok - java: " : "not ok - java: ") + what);
        failures += holds ? 0 : 1;
    }
}
