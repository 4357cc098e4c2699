// What OkHttp and the JDK's client do by themselves when a reply is lost, as docs/mobile.md says it.

import chatdouble.Chatdouble;
import chatdouble.Effect;
import chatdouble.FaultMatch;
import chatdouble.FaultRule;
import chatdouble.JournalFilter;
import chatdouble.WorldOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import okhttp3.Credentials;
import okhttp3.FormBody;
import okhttp3.OkHttpClient;
import okhttp3.Request;

class Repetitions {
    private static final String FORM = "type=stream&to=general&topic=t&content=x";
    private static int failures;

    /** A client that asks once for server settings, and then posts a message or reads its own user. */
    interface Client {
        int status(String site, String credentials, boolean isPost) throws IOException, InterruptedException;
    }

    public static void main(String[] arguments) throws Exception {
        Client okhttp = (site, credentials, isPost) -> okhttp(new OkHttpClient(), true, site, credentials, isPost);
        Client fresh = (site, credentials, isPost) -> okhttp(new OkHttpClient(), false, site, credentials, isPost);
        Client strict = (site, credentials, isPost) ->
                okhttp(new OkHttpClient.Builder().retryOnConnectionFailure(false).build(), true, site, credentials, isPost);
        expect("OkHttp on a used connection sends a GET again", okhttp, false, false, 2, true);
        expect("OkHttp on a used connection sends a POST again, which is carried out twice", okhttp, true, false, 2, true);
        expect("OkHttp on a new connection does not", fresh, true, false, 1, false);
        expect("OkHttp with retryOnConnectionFailure(false) does not", strict, true, false, 1, false);
        expect("with retries, OkHttp's repetition is dropped too, and not carried out", okhttp, true, true, 2, false);
        expect("the JDK's client sends a GET again", Repetitions::jdk, false, false, 2, true);
        expect("the JDK's client does not send a POST again", Repetitions::jdk, true, false, 1, false);
        System.exit(failures == 0 ? 0 : 1);
    }

    private static void expect(String what, Client client, boolean isPost, boolean retries, int requests, boolean succeeds) throws Exception {
        try (var server = Chatdouble.connect(); var world = server.createWorld(new WorldOptions().forkOf("default"))) {
            var mel = world.user("mel");
            var path = isPost ? "/messages" : "/users/me";
            world.faults.add(new FaultRule(Effect.drop("after", retries)).match(new FaultMatch().path(path)).times(1));
            // An address of one family: with two, there would be a second route to try.
            var site = world.url.replace("localhost", "127.0.0.1");
            boolean isDone;
            try {
                isDone = client.status(site, Credentials.basic(mel.email, mel.apiKey), isPost) == 200;
            } catch (IOException lost) {
                isDone = false;
            }
            var seen = world.journal.entries(new JournalFilter().path(path)).size();
            var holds = seen == requests && isDone == succeeds;
            System.out.println(holds ? "ok - " + what : "not ok - " + what + ": " + seen + " requests, " + (isDone ? "a reply" : "no reply"));
            failures += holds ? 0 : 1;
        }
    }

    private static int okhttp(OkHttpClient client, boolean isUsed, String site, String credentials, boolean isPost) throws IOException {
        if (isUsed) client.newCall(new Request.Builder().url(site + "/api/v1/server_settings").build()).execute().close();
        var request = new Request.Builder().url(site + (isPost ? "/api/v1/messages" : "/api/v1/users/me")).header("Authorization", credentials);
        var form = new FormBody.Builder().add("type", "stream").add("to", "general").add("topic", "t").add("content", "x").build();
        try (var reply = client.newCall(isPost ? request.post(form).build() : request.build()).execute()) {
            return reply.code();
        }
    }

    private static int jdk(String site, String credentials, boolean isPost) throws IOException, InterruptedException {
        var client = HttpClient.newHttpClient();
        client.send(HttpRequest.newBuilder(URI.create(site + "/api/v1/server_settings")).build(), BodyHandlers.discarding());
        var request = HttpRequest.newBuilder(URI.create(site + (isPost ? "/api/v1/messages" : "/api/v1/users/me"))).header("Authorization", credentials);
        if (isPost) request.header("Content-Type", "application/x-www-form-urlencoded").POST(HttpRequest.BodyPublishers.ofString(FORM));
        return client.send(request.build(), BodyHandlers.ofString()).statusCode();
    }
}
