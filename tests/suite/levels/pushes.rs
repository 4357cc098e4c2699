//! What was pushed to phones.

use crate::push::pushes;
use crate::support::TestServer;

#[tokio::test]
async fn pushes_listed_recipients_and_named_devices_otherwise() {
    let server = TestServer::start_with(|options| options.feature_level = 428).await;
    let [mel, max, adam] = server.users(["mel", "max", "adam"]);
    max.send_direct(&[mel.id()], "for two").await;
    max.send_direct(&[mel.id(), adam.id()], "for three").await;

    let handed = pushes(&server).await;
    let mut ids = [mel.id(), max.id(), adam.id()];
    ids.sort_unstable();

    assert_eq!([handed[0]["payload"].get("pm_users"), handed[0]["payload"].get("recipient_user_ids")], [None, None]);
    assert_eq!(handed[1]["payload"]["pm_users"], ids.map(|id| id.to_string()).join(","));
    let wire = &handed[1]["wire"]["envelope"]["data"];
    assert_eq!(wire["push_account_id"], "1", "below 468 the device's number takes the key's place");
}
