//! Addresses of video calls.

use crate::levels::control;
use crate::support::{TestServer, User};
use serde_json::{Value, json};

async fn big_blue(user: &User, params: Value) -> String {
    let reply = user.get("/calls/bigbluebutton/create", params).await.success();
    reply["url"].as_str().expect("an address").to_owned()
}

async fn create(user: &User, path: &str, params: Value) -> String {
    let reply = user.post(path, params).await.success();
    reply["url"].as_str().expect("an address").to_owned()
}

#[tokio::test]
async fn a_meeting_has_an_address_next_to_the_organization() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let lunch = json!({"meeting_name": "Lunch & more"});

    let url = big_blue(&mel, lunch.clone()).await;

    assert!(url.starts_with("/calls/bigbluebutton/join?bigbluebutton="), "{url}");
    assert_eq!(big_blue(&mel, lunch.clone()).await, url, "nothing has changed since");
    assert_ne!(big_blue(&max, lunch.clone()).await, url, "another moderates");
    assert_ne!(big_blue(&mel, json!({"meeting_name": "Lunch & more", "voice_only": true})).await, url);
    server.advance(1).await;
    assert_ne!(big_blue(&mel, lunch.clone()).await, url, "another meeting of the same name");
    let other = control(&server, "/control/worlds", &json!({"name": "other", "fork_of": "default"})).await;
    let there = server.user_at(other["url"].as_str().expect("an address"), "other", "mel");
    let url = big_blue(&there, lunch).await;
    assert!(url.starts_with("/w/other/calls/bigbluebutton/join?bigbluebutton="), "{url}");
}

#[tokio::test]
async fn rooms_are_new_each_time_and_the_same_in_the_same_world() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let other = control(&server, "/control/worlds", &json!({"name": "other", "fork_of": "default"})).await;
    let there = server.user_at(other["url"].as_str().expect("an address"), "other", "mel");
    for (path, params, beginning) in [
        (
            "/calls/nextcloud_talk/create",
            json!({"room_name": "Lunch"}),
            "https://nextcloud.example.com/index.php/call/",
        ),
        ("/calls/webex/create", json!({}), "https://webex.example.com/meet/"),
    ] {
        let url = create(&mel, path, params.clone()).await;
        assert!(url.starts_with(beginning), "{url}");
        assert_eq!(create(&there, path, params.clone()).await, url);
        assert_ne!(create(&mel, path, params.clone()).await, url);
        let _ = create(&there, path, params).await;
    }
}

#[tokio::test]
async fn everybody_has_one_room_where_the_service_gives_people_rooms() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);

    let url = create(&mel, "/calls/constructorgroups/create", json!({})).await;

    assert!(url.starts_with("https://constructor-groups.example.com/rooms/"), "{url}");
    assert_eq!(create(&mel, "/calls/constructorgroups/create", json!({})).await, url);
    assert_ne!(create(&max, "/calls/constructorgroups/create", json!({})).await, url);
}

#[tokio::test]
async fn calls_with_accounts_take_an_account_unless_the_server_has_one() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let state = mel.register(json!({"event_types": ["video_calls"]})).await.state;
    assert_eq!(state["has_zoom_token"], false);

    for provider in [1, 3] {
        olive.patch("/realm", json!({"video_chat_provider": provider})).await.success();
        let refused = mel.post("/calls/zoom/create", json!({})).await.with_status(400);
        refused.error("INVALID_ZOOM_TOKEN", "Invalid Zoom access token");
    }
    olive.patch("/realm", json!({"video_chat_provider": 5})).await.success();
    let url = create(&mel, "/calls/zoom/create", json!({"is_video_call": false})).await;
    assert!(url.starts_with("https://zoom.example.com/j/"), "{url}");
    assert_ne!(create(&mel, "/calls/zoom/create", json!({})).await, url);
}
