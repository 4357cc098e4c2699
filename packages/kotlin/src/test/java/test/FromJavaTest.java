package test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import chatdouble.Assertion;
import chatdouble.Chatdouble;
import chatdouble.ChatdoubleException;
import chatdouble.Effect;
import chatdouble.FaultMatch;
import chatdouble.FaultRule;
import chatdouble.JournalFilter;
import chatdouble.NetworkTerms;
import chatdouble.RateLimitTerms;
import chatdouble.StartOptions;
import chatdouble.World;
import chatdouble.WorldOptions;
import chatdouble.junit.ChatdoubleTest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The helpers read well in Java, too. */
@ChatdoubleTest(failOn = "error")
class FromJavaTest {
    @Test
    void steering(World world) {
        var mel = world.user("mel");
        var match = new FaultMatch().method("POST").path("/messages");
        try (var fault = world.faults.add(new FaultRule(Effect.rateLimit(2)).match(match).times(1))) {
            assertEquals(fault.id, world.faults.list().get(0).id);
        }
        var before = world.clock.now();
        assertEquals(before + 86_400 + 60, world.clock.advance(Duration.ofDays(1)).now + 60);
        world.clock.advance("1h");
        world.clock.advance(30);
        world.network.set(new NetworkTerms().user("mel").profile("3g"));
        world.rateLimit.set(new RateLimitTerms(10, Duration.ofMinutes(1)).user("mel"));
        assertEquals(60.0, world.rateLimit.list().get(0).seconds);
        assertEquals("mel@chat.test", mel.email);
        assertEquals(0, world.journal.verify(new Assertion().path("/messages").params(Map.of("topic", "x")).exactly(0)));
        assertEquals(0, world.journal.entries(new JournalFilter().limit(1)).size());
        assertEquals(0, world.pushes.list("max").size());
        assertThrows(AssertionError.class, () -> world.queues.waitParked("mel", 10));
        assertThrows(AssertionError.class, () -> world.pushes.waitFor("max", 10));
    }

    @Test
    void starting() {
        try (var server = Chatdouble.startServer(new StartOptions().clock("frozen").dialect("zulip"));
                var world = server.createWorld(new WorldOptions().fixture("cast").featureLevel(250))) {
            assertEquals(1, Chatdouble.connect(server.url).worlds(world.name).size());
        }
        assertThrows(ChatdoubleException.class, () -> Chatdouble.connect("localhost"));
    }
}
