// The same in Java.

import chatdouble.Assertion;
import chatdouble.Effect;
import chatdouble.FaultMatch;
import chatdouble.FaultRule;
import chatdouble.World;
import chatdouble.junit.ChatdoubleTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

@ChatdoubleTest(failOn = "error")
class ReminderTest {
    @Test
    void aClientWaitsAsLongAsItIsTold(World world) throws Exception {
        world.faults.add(new FaultRule(Effect.rateLimit(2)).match(new FaultMatch().path("/server_settings")).times(1));
        var request = HttpRequest.newBuilder(URI.create(world.url + "/api/v1/server_settings")).build();
        var http = HttpClient.newHttpClient();
        Assertions.assertEquals(429, http.send(request, BodyHandlers.ofString()).statusCode());
        world.clock.advance(2);
        Assertions.assertEquals(200, http.send(request, BodyHandlers.ofString()).statusCode());
        world.journal.verify(new Assertion().path("/server_settings").exactly(2));
    }
}
