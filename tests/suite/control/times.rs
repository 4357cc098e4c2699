//! Times and spans in bodies.

use super::{Control, START_SECONDS};
use crate::support::TestServer;
use serde_json::json;

const CLOCK: &str = "/worlds/default/clock";

#[tokio::test]
async fn bodies_take_rfc_3339_and_spans() {
    let server = TestServer::start().await;
    let control = Control::of(&server);
    let now = async |body| control.post(CLOCK, body).await.success()["now"].as_f64();

    assert_eq!(now(json!({"advance_seconds": "1m30s"})).await, Some(START_SECONDS as f64 + 90.0));
    assert_eq!(now(json!({"set": "2026-01-05T00:00:00Z"})).await, Some(1_767_571_200.0));
    assert_eq!(now(json!({"set": "2026-01-05T02:00:00+01:00"})).await, Some(1_767_574_800.0));
    assert_eq!(now(json!({"set": "2026-01-06"})).await, Some(1_767_657_600.0), "midnight in UTC");
    for body in [json!({"set": "2026-01-32"}), json!({"set": "2026-1-7"}), json!({"set": "20260107"})] {
        control.post(CLOCK, body).await.refused("$.set: takes UNIX seconds, a time such as");
    }
    for body in
        [json!({"advance_seconds": "1 day"}), json!({"advance_seconds": true}), json!({"advance_seconds": "-1s"})]
    {
        control.post(CLOCK, body).await.refused("$.advance_seconds: takes seconds, or a span such as");
    }
    control.post(CLOCK, json!({"set": "tomorrow"})).await.refused("$.set: takes UNIX seconds, a time such as");

    control.post("/worlds", json!({"name": "dated", "clock": "2027-01-01"})).await.success();
    assert_eq!(control.get("/worlds/dated/clock").await.success()["now"], json!(1_798_761_600.0));
    let world = control.post("/worlds", json!({"name": "then", "clock": 1_900_000_000})).await.success();
    assert_eq!(world["name"], "then");
    let clock = control.get("/worlds/then/clock").await.success();
    assert_eq!((&clock["now"], &clock["running"]), (&json!(1_900_000_000.0), &json!(false)));

    control.fault(json!({"effect": {"rate_limit": {"retry_after": "2m"}}})).await;
    let reply = server.user("mel").get("/users/me", json!({})).await.with_status(429);
    assert_eq!((reply.header("retry-after"), &reply.body["retry-after"]), (Some("120"), &json!(120)));
}
