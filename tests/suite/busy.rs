//! A world whose writer is busy: nobody else waits, whatever hangs behind it.

use crate::support::{Reply, TestServer, User};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The writer lets go after this, whatever a test does.
const LONGEST: Duration = Duration::from_secs(10);
/// What those who do not wait take, mostly.
const SHORT: Duration = Duration::from_millis(50);
/// What they may take at times, on a machine that does other things too.
const RARE: Duration = Duration::from_secs(1);

/// Keeps the writer of the default world busy until something is sent.
fn keep_busy(server: &TestServer) -> (Sender<()>, JoinHandle<()>) {
    let world = server.server().world("default");
    let (release, released) = channel();
    let (begin, begun) = channel();
    let writer = std::thread::spawn(move || {
        let changed = world.commit(|_| {
            begin.send(()).expect("the test waits");
            let _ = released.recv_timeout(LONGEST);
            Ok(())
        });
        changed.expect("nothing is refused");
    });
    begun.recv().expect("the change begins");
    (release, writer)
}

async fn control(user: &User, path: &str, body: Value) -> Reply {
    user.send("POST", path, &body, body.to_string().into_bytes(), Some("application/json")).await
}

/// How long a reply took.
async fn duration(request: impl Future<Output = Reply>) -> Duration {
    let begun = Instant::now();
    request.await.success();
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_writer_delays_writes_to_its_own_world_alone() {
    let server = TestServer::start().await;
    control(&server.user("olive"), "/control/worlds", json!({"name": "other", "fork_of": "default"})).await.success();
    let other = server.user_at(&format!("{}/w/other", server.url()), "other", "max");
    let [max, mel] = server.users(["max", "mel"]);
    let (release, writer) = keep_busy(&server);

    let begun = Instant::now();
    let content =
        |index: usize| json!({"type": "stream", "to": "town-square", "topic": "t", "content": index.to_string()});
    let users = Arc::new([max.clone(), mel]);
    let writes: Vec<_> = (0..40)
        .map(|index| {
            let users = users.clone();
            tokio::spawn(async move { users[index % 2].post("/messages", content(index)).await })
        })
        .collect();
    let snapshot = {
        let max = max.clone();
        tokio::spawn(async move { control(&max, "/control/worlds/default/snapshots", json!({"name": "s"})).await })
    };
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut took = [const { Vec::new() }; 4];
    for _ in 0..11 {
        took[0].push(duration(other.get("/users/me", json!({}))).await);
        took[1].push(duration(max.get("/users/me", json!({}))).await);
        took[2].push(duration(max.get("/control/health", json!({}))).await);
        took[3].push(duration(other.post("/messages", content(0))).await);
    }
    for durations in &mut took {
        durations.sort();
        assert!(durations[5] < SHORT && durations[10] < RARE, "{durations:?}");
    }
    assert!(begun.elapsed() < LONGEST / 2, "took {:?}", begun.elapsed());
    assert!(writes.iter().all(|write| !write.is_finished()) && !snapshot.is_finished());

    release.send(()).expect("the writer waits");
    for write in writes {
        write.await.expect("it is answered").success();
    }
    snapshot.await.expect("it is answered").success();
    writer.join().expect("it ends");
}
