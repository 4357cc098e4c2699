//! The organization's own icon and logos, and the addresses that lead to people's pictures.

use crate::support::{Reply, TestServer};
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

/// A GIF of one pixel, as far as its header goes.
const PICTURE: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0";

fn update(property: &str, source: &str, url: &str) -> Value {
    let data = json!({format!("{property}_source"): source, format!("{property}_url"): url});
    json!({"type": "realm", "op": "update_dict", "property": property, "data": data})
}

#[tokio::test]
async fn an_icon_is_sent_and_served_until_it_is_removed() {
    let server = TestServer::start().await;
    let [adam, gus] = server.users(["adam", "gus"]);
    let mut at_gus = gus.events(["realm"]).await;
    let own = "/user_avatars/2/realm/icon.png?version=2";
    let general = "/static/images/default-icon.png?version=3";
    let shown = async || {
        let state = gus.register(json!({"fetch_event_types": ["realm"]})).await.state;
        let settings = gus.get("/server_settings", json!({})).await.success();
        assert_eq!(settings["realm_icon"], state["realm_icon_url"]);
        [state["realm_icon_url"].clone(), state["realm_icon_source"].clone()]
    };

    adam.upload("/realm/icon", "icon.gif", "image/gif", PICTURE).await.is(json!({"icon_url": own}));
    at_gus.next().await.is(update("icon", "U", own));
    assert_eq!(shown().await, [own, "U"]);
    assert_eq!(server.anonymous().get(own, json!({})).await.with_status(200).bytes, PICTURE);

    adam.delete("/realm/icon", json!({})).await.is(json!({"icon_url": general}));
    at_gus.next().await.is(update("icon", "G", general));
    assert_eq!(shown().await, [general, "G"]);
    let _ = gus.get(own, json!({})).await.with_status(404);
    let _ = gus.get(general, json!({})).await.with_status(200);
    at_gus.none().await;
}

#[tokio::test]
async fn there_is_a_logo_for_light_and_one_for_dark_backgrounds() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let mut at_mel = mel.events(["realm"]).await;
    let general = "/static/images/default-logo.png?version=0";
    let (light, dark) = ("/user_avatars/2/realm/logo.png?version=2", "/user_avatars/2/realm/night_logo.png?version=2");
    let shown = async || {
        let state = mel.register(json!({"fetch_event_types": ["realm"]})).await.state;
        let keys = ["realm_logo_url", "realm_logo_source", "realm_night_logo_url", "realm_night_logo_source"];
        keys.map(|key| state[key].clone())
    };

    assert_eq!(shown().await, [general, "D", general, "D"]);
    adam.upload("/realm/logo?night=true", "dark.gif", "image/gif", PICTURE).await.is(json!({}));
    assert_eq!(shown().await, [general, "D", dark, "U"]);
    adam.upload("/realm/logo?night=false", "light.gif", "image/gif", PICTURE).await.is(json!({}));
    assert_eq!(shown().await, [light, "U", dark, "U"]);
    adam.delete("/realm/logo", json!({"night": true})).await.is(json!({}));
    assert_eq!(shown().await, [light, "U", general, "D"]);

    at_mel.next().await.is(update("night_logo", "U", dark));
    at_mel.next().await.is(update("logo", "U", light));
    at_mel.next().await.is(update("night_logo", "D", general));
    at_mel.none().await;
    let _ = mel.get(light, json!({})).await.with_status(200);
    let _ = mel.get("/user_avatars/2/realm/banner.png", json!({})).await.with_status(404);
}

#[tokio::test]
async fn what_is_no_picture_of_the_organization_is_refused() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    for (path, missing) in [
        ("/realm/icon", "You must upload exactly one icon."),
        ("/realm/logo?night=true", "You must upload exactly one logo."),
    ] {
        adam.post(path, json!({})).await.error("BAD_REQUEST", missing);
        adam.upload(path, "x.gif", "image/gif", b"no picture").await.error("BAD_IMAGE", "Invalid image format");
        let large = [PICTURE, &vec![0; 5 * 1024 * 1024]].concat();
        let refused = adam.upload(path, "x.gif", "image/gif", &large).await;
        refused.error("BAD_REQUEST", "Uploaded file is larger than the allowed limit of 5 MiB");
        let refused = mel.upload(path, "x.gif", "image/gif", PICTURE).await;
        refused.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    }
}

#[tokio::test]
async fn an_address_by_number_or_email_leads_to_a_picture() {
    let server = TestServer::start().await;
    let [max, mel, gus, ivy] = server.users(["max", "mel", "gus", "ivy"]);
    let location = |reply: Reply| reply.with_status(302).header("location").expect("it leads somewhere").to_owned();
    let state = mel.register(json!({"fetch_event_types": ["realm_user"]})).await.state;

    let small = location(max.get(&format!("/avatar/{}", mel.id()), json!({})).await);
    let medium = location(max.get("/avatar/mel@chat.test/medium", json!({"x": 1})).await);

    assert_eq!(state["avatar_url"], small);
    assert_eq!(medium, format!("{}&x=1", state["avatar_url_medium"].as_str().unwrap_or_default()));
    let unknown = location(max.get("/avatar/NOBODY@chat.test", json!({})).await);
    assert_eq!(unknown, "https://secure.gravatar.com/avatar/5255c3ae49ff5c50743e091fa9f580e0?v=1");
    let unknown = location(max.get("/avatar/999", json!({"x": 1})).await);
    assert_eq!(unknown, "/static/images/unknown-user-avatar.png?v=1&x=1");
    server.allow("can_access_all_users_group", SystemGroup::Members).await;
    gus.delete("/users/me/subscriptions", json!({"subscriptions": ["general"]})).await.success();
    let hidden = location(gus.get(&format!("/avatar/{}", ivy.id()), json!({})).await);
    assert_eq!(hidden, "/static/images/unknown-user-avatar.png?v=1");
}

#[tokio::test]
async fn spectators_have_pictures_by_id_where_they_see_a_channel() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let visitor = server.anonymous();
    let by_id = format!("/avatar/{}", mel.id());
    let refuse = async |path: &str| {
        let message = "Not logged in: API authentication or user session required";
        visitor.get(path, json!({})).await.with_status(401).error("UNAUTHORIZED", message);
    };
    let is_public = |is_public: bool| olive.patch("/realm", json!({"enable_spectator_access": is_public}));

    is_public(false).await.success();
    refuse(&by_id).await;
    is_public(true).await.success();
    let picture = visitor.get(&by_id, json!({})).await.with_status(302);
    assert_eq!(picture.header("location"), mel.get(&by_id, json!({})).await.header("location"));
    let _ = visitor.get(&format!("{by_id}/medium"), json!({})).await.with_status(302);
    refuse("/avatar/mel@chat.test").await;
}
