//! How the build was compared with real servers, as control reports it.

use super::Control;
use crate::support::TestServer;
use serde_json::Value;

#[tokio::test]
async fn the_comparison_with_real_servers_is_reported_by_operation() {
    let server = TestServer::start().await;
    let control = Control::of(&server);

    let reply = control.get("/fidelity").await.success();

    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let number = |value: &Value| value.as_u64().expect("a number");
    let operations = list(&reply["operations"]);
    let served = chatdouble::api::rows().count();
    assert_eq!(operations.len(), served, "every operation has a row");
    let mut sums: std::collections::BTreeMap<u64, (u64, u64)> = std::collections::BTreeMap::new();
    let everywhere = operations.iter().flat_map(|one| list(&one["recorded"])).chain(list(&reply["elsewhere"]));
    for recorded in everywhere {
        let sum = sums.entry(number(&recorded["feature_level"])).or_default();
        *sum = (sum.0 + number(&recorded["compared"]), sum.1 + number(&recorded["differ"]));
        let reasons = list(&recorded["differences"]);
        let of_reasons: u64 = reasons.iter().map(|one| number(&one["requests"])).sum();
        assert!(of_reasons >= number(&recorded["differ"]), "each difference has a reason: {recorded}");
        assert!(reasons.iter().all(|one| one["reason"].as_str().is_some_and(|text| !text.is_empty())), "{recorded}");
    }
    for level in list(&reply["levels"]) {
        let sum = sums[&number(&level["feature_level"])];
        assert_eq!(sum, (number(&level["compared"]), number(&level["differ"])), "{level}");
    }
    assert_eq!(sums.keys().copied().collect::<Vec<_>>(), [247, 387]);
    for one in &operations {
        let known_by = if list(&one["recorded"]).is_empty() { "specification" } else { "recordings" };
        assert_eq!(one["known_by"], known_by, "{one}");
    }
    let known_by = |method: &str, path: &str| {
        let found = operations.iter().find(|one| one["method"] == method && one["path"] == path);
        found.map(|one| one["known_by"].clone()).unwrap_or_default()
    };
    assert_eq!(known_by("POST", "/messages"), "recordings");
    assert_eq!(known_by("POST", "/users/{user_id}/status"), "specification");
    assert_eq!(control.get("/fidelity?level=247").await.status, 400, "it takes no query parameters");
}
