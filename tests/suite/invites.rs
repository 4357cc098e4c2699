//! Invitations.

use crate::support::{Queue, Reply, TestServer, User};
use chatdouble::realm::group::SystemGroup;
use serde_json::{Value, json};

const NOW: i64 = 1_767_268_800;
const DAY: i64 = 86_400;

async fn link(user: &User, params: Value) -> Reply {
    user.post("/invites/multiuse", params).await
}

async fn invites(user: &User) -> Vec<Value> {
    let reply = user.get("/invites", json!({})).await.success();
    reply["invites"].as_array().cloned().unwrap_or_default()
}

/// Makes a link; gives it as it is listed.
async fn made(user: &User, params: Value) -> Value {
    let address = link(user, params).await.success()["invite_link"].clone();
    let all = invites(user).await;
    all.iter().find(|invite| invite["link_url"] == address).unwrap_or_else(|| panic!("{address} in {all:?}")).clone()
}

async fn changed(queue: &mut Queue) {
    queue.next().await.is(json!({"type": "invites_changed"}));
    queue.none().await;
}

fn group_id(server: &TestServer, name: &str) -> i64 {
    let realm = server.server().world("default").snapshot();
    realm.group_by_name(name).unwrap_or_else(|| panic!("no group is called {name}")).id.0
}

/// The terms of the newest link, behind the API's back.
fn newest_terms(server: &TestServer) -> chatdouble::realm::invite::InviteTerms {
    let realm = server.server().world("default").snapshot();
    realm.invite_links.values().next_back().expect("there are links").terms.clone()
}

#[tokio::test]
async fn a_link_leads_to_the_organization_and_lasts_ten_days_for_members_by_default() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    let address = link(&mel, json!({})).await.success()["invite_link"].as_str().unwrap_or_default().to_owned();

    let key = address.strip_prefix(&format!("{}/join/", server.url())).and_then(|rest| rest.strip_suffix('/'));
    let key = key.unwrap_or_else(|| panic!("not an address of the organization: {address}"));
    assert!(key.len() == 24 && key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7')), "{key}");
    let listed = invites(&mel).await;
    assert_eq!(
        listed.last(),
        Some(&json!({
            "id": 3,
            "invited": NOW,
            "invited_as": 400,
            "invited_by_user_id": mel.id(),
            "expiry_date": NOW + 14_400 * 60,
            "link_url": address,
            "is_multiuse": true,
        }))
    );
    let terms = newest_terms(&server);
    assert!(terms.channels.is_empty() && terms.groups.is_empty() && !terms.include_default_channels);
    assert_eq!(terms.welcome_message, None);
}

#[tokio::test]
async fn a_link_expires_by_the_clock_and_with_null_never() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let short = made(&mel, json!({"invite_expires_in_minutes": 5})).await;
    let ever = made(&mel, json!({"invite_expires_in_minutes": null})).await;
    assert_eq!((&short["expiry_date"], &ever["expiry_date"]), (&json!(NOW + 300), &Value::Null));
    let mut at_adam = server.user("adam").events(["invites_changed"]).await;
    let mut at_mel = mel.events(["invites_changed"]).await;
    let mut at_max = server.user("max").events(["invites_changed"]).await;

    server.advance(299).await;
    at_adam.none().await;
    server.advance(1).await;

    changed(&mut at_adam).await;
    changed(&mut at_mel).await;
    at_max.none().await;
    let listed = invites(&mel).await;
    assert!(!listed.contains(&short) && listed.contains(&ever), "{listed:?}");
    server.advance(100 * 365 * DAY.unsigned_abs()).await;
    assert_eq!(invites(&mel).await, [ever]);
}

#[tokio::test]
async fn administrators_and_the_creator_hear_of_a_new_link() {
    let server = TestServer::start().await;
    let [mel, olive, mona] = server.users(["mel", "olive", "mona"]);
    let mut at_mel = mel.events(["invites_changed"]).await;
    let mut at_olive = olive.events(["invites_changed"]).await;
    let mut at_mona = mona.events(["invites_changed"]).await;

    link(&mel, json!({})).await.success();

    changed(&mut at_mel).await;
    changed(&mut at_olive).await;
    at_mona.none().await;
}

#[tokio::test]
async fn callers_invite_to_roles_equal_or_stricter_than_their_own() {
    let server = TestServer::start().await;
    let owner = "Must be an organization owner";
    let administrator = "Must be an organization administrator";

    for (handle, allowed) in [
        ("olive", vec![100, 200, 300, 400, 600]),
        ("adam", vec![200, 300, 400, 600]),
        ("mona", vec![300, 400, 600]),
        ("mel", vec![400, 600]),
    ] {
        let user = server.user(handle);
        for role in [100, 200, 300, 400, 600] {
            let reply = link(&user, json!({"invite_as": role})).await;
            if allowed.contains(&role) {
                reply.success();
                assert_eq!(invites(&user).await.last().map(|one| one["invited_as"].clone()), Some(json!(role)));
            } else {
                let message = if role == 100 { owner } else { administrator };
                reply.error("BAD_REQUEST", message);
            }
        }
    }
    let unknown = link(&server.user("olive"), json!({"invite_as": 500})).await;
    unknown.error("BAD_REQUEST", "Invalid invite_as: Value error, Not in the list of possible values");
}

#[tokio::test]
async fn only_users_permitted_to_invite_make_links() {
    let server = TestServer::start().await;
    let [gus, bot, mel, adam] = server.users(["gus", "build-bot", "mel", "adam"]);

    link(&gus, json!({})).await.error("BAD_REQUEST", "Not allowed for guest users");
    link(&bot, json!({})).await.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
    server.allow("create_multiuse_invite_group", SystemGroup::Administrators).await;
    // The right is looked at before the role.
    link(&mel, json!({"invite_as": 100})).await.error("BAD_REQUEST", "Insufficient permission");
    link(&adam, json!({})).await.success();
}

#[tokio::test]
async fn channels_must_exist_be_accessible_and_not_archived() {
    let server = TestServer::start().await;
    let [mel, nora] = server.users(["mel", "nora"]);
    let [general, design, attic] = ["general", "design", "attic"].map(|name| server.channel(name));

    for (user, channels, bad) in
        [(&mel, vec![general, 999, 998], 999), (&nora, vec![design], design), (&mel, vec![attic], attic)]
    {
        let message = format!("Invalid channel ID {bad}. No invites were sent.");
        link(user, json!({"stream_ids": channels})).await.error("BAD_REQUEST", &message);
    }
    link(&mel, json!({"stream_ids": [general, design]})).await.success();
    let channels: Vec<i64> = newest_terms(&server).channels.iter().map(|id| id.0).collect();
    assert_eq!(channels, [general, design]);
    link(&mel, json!({"stream_ids": "general"})).await.error("BAD_REQUEST", "stream_ids is not valid JSON");
}

#[tokio::test]
async fn channels_are_defaults_or_open_to_the_caller_and_none_for_those_who_subscribe_nobody() {
    let server = TestServer::start().await;
    let [mel, adam, mona] = server.users(["mel", "adam", "mona"]);
    server.allow("can_add_subscribers_group", SystemGroup::Nobody).await;
    let [general, engineering, quiet] = ["general", "engineering", "quiet"].map(|name| server.channel(name));
    let refused = "You do not have permission to subscribe other users to channels.";

    link(&mel, json!({"stream_ids": [engineering]})).await.error("BAD_REQUEST", refused);
    // A default channel alone is refused too: the caller subscribes nobody.
    link(&mel, json!({"stream_ids": [general]})).await.error("BAD_REQUEST", refused);
    link(&mel, json!({"stream_ids": [], "include_realm_default_subscriptions": true})).await.success();
    assert!(newest_terms(&server).include_default_channels);
    link(&adam, json!({"stream_ids": [engineering]})).await.success();
    // Mona made this channel, so she administers it.
    link(&mona, json!({"stream_ids": [quiet, general]})).await.success();
    link(&mona, json!({"stream_ids": [quiet, engineering]})).await.error("BAD_REQUEST", refused);
}

#[tokio::test]
async fn groups_are_those_to_which_the_caller_may_add_users() {
    let server = TestServer::start().await;
    let [mona, mel, olive] = server.users(["mona", "mel", "olive"]);
    let engineers = group_id(&server, "engineers");

    // Mona is one of the leads, who manage the engineers.
    link(&mona, json!({"group_ids": [engineers]})).await.success();
    assert_eq!(newest_terms(&server).groups.iter().map(|id| id.0).collect::<Vec<_>>(), [engineers]);
    link(&mel, json!({"group_ids": [engineers]})).await.error("BAD_REQUEST", "Insufficient permission");
    link(&olive, json!({"group_ids": [999]})).await.error("BAD_REQUEST", "Invalid user group");
    let old = link(&olive, json!({"group_ids": [group_id(&server, "old-timers")]})).await;
    old.error("BAD_REQUEST", "User group is deactivated.");
    let system = link(&olive, json!({"group_ids": [group_id(&server, "role:owners")]})).await;
    system.error("BAD_REQUEST", "Insufficient permission");
    link(&olive, json!({"group_ids": [engineers]})).await.success();
}

#[tokio::test]
async fn the_welcome_text_is_for_administrators_and_null_for_others() {
    let server = TestServer::start().await;
    let [adam, mona] = server.users(["adam", "mona"]);
    let welcome = async |user: &User, text: Value| {
        link(user, json!({"welcome_message_custom_text": text})).await.success();
        newest_terms(&server).welcome_message
    };

    assert_eq!(welcome(&adam, json!("*Hi*")).await.as_deref(), Some("*Hi*"));
    assert_eq!(welcome(&adam, json!("")).await.as_deref(), Some(""));
    assert_eq!(welcome(&adam, Value::Null).await, None);
    assert_eq!(welcome(&mona, json!("*Hi*")).await, None);
}

#[tokio::test]
async fn the_welcome_text_has_at_most_8000_code_points() {
    let server = TestServer::start().await;
    let adam = server.user("adam");

    link(&adam, json!({"welcome_message_custom_text": "é".repeat(8_000)})).await.success();
    let long = link(&adam, json!({"welcome_message_custom_text": "é".repeat(8_001)})).await;
    long.error("BAD_REQUEST", "welcome_message_custom_text is too long (limit: 8000 characters)");
}

#[tokio::test]
async fn administrators_see_all_invitations_and_others_their_own() {
    let server = TestServer::start().await;
    let [adam, mel, max] = server.users(["adam", "mel", "max"]);

    let all = invites(&adam).await;
    assert_eq!(
        all[0],
        json!({
            "email": "wanda@example.com",
            "id": 1,
            "invited": NOW - 2 * DAY,
            "invited_as": 300,
            "invited_by_user_id": adam.id(),
            "expiry_date": NOW + 8 * DAY,
            "is_multiuse": false,
            "notify_referrer_on_join": true,
        })
    );
    assert_eq!(all.len(), 3);
    assert_eq!(invites(&mel).await, [all[1].clone()]);
    assert_eq!(invites(&max).await, [] as [Value; 0]);
    let gus = server.user("gus").get("/invites", json!({})).await;
    gus.error("BAD_REQUEST", "Not allowed for guest users");
}

#[tokio::test]
async fn a_link_is_revoked_once_by_its_maker_or_an_administrator() {
    let server = TestServer::start().await;
    let [mel, max, adam, olive] = server.users(["mel", "max", "adam", "olive"]);
    let path = |invite: &Value| format!("/invites/multiuse/{}", invite["id"]);
    let mine = made(&mel, json!({})).await;
    let owners = made(&olive, json!({"invite_as": 100})).await;
    let mut at_mel = mel.events(["invites_changed"]).await;
    let mut at_max = max.events(["invites_changed"]).await;
    let administrator = "Must be an organization administrator";

    max.delete(&path(&mine), json!({})).await.error("BAD_REQUEST", administrator);
    adam.delete(&path(&mine), json!({})).await.is(json!({}));
    changed(&mut at_mel).await;
    at_max.none().await;
    assert!(!invites(&mel).await.contains(&mine));
    mel.delete(&path(&mine), json!({})).await.error("BAD_REQUEST", "Invitation has already been revoked");
    mel.delete("/invites/multiuse/99", json!({})).await.error("BAD_REQUEST", "No such invitation");
    let owner = "Must be an organization owner";
    adam.delete(&path(&owners), json!({})).await.error("UNAUTHORIZED_PRINCIPAL", owner);
    olive.delete(&path(&owners), json!({})).await.is(json!({}));
}

#[tokio::test]
async fn people_are_invited_by_email_each_once() {
    let server = TestServer::start().await;
    let [mel, adam] = server.users(["mel", "adam"]);
    let mut at_adam = adam.events(["invites_changed"]).await;

    let emails = "zoe@example.com,\n Yan <yan@example.com>, ZOE@example.com";
    let params =
        json!({"invitee_emails": emails, "stream_ids": [], "notify_referrer_on_join": false, "invite_as": 600});
    mel.post("/invites", params).await.is(json!({}));

    changed(&mut at_adam).await;
    let listed = invites(&mel).await;
    let record = |id: i64, email: &str| {
        json!({
            "email": email,
            "id": id,
            "invited": NOW,
            "invited_as": 600,
            "invited_by_user_id": mel.id(),
            "expiry_date": NOW + 10 * DAY,
            "is_multiuse": false,
            "notify_referrer_on_join": false,
        })
    };
    assert_eq!(listed[..2], [record(2, "zoe@example.com"), record(3, "yan@example.com")]);
}

#[tokio::test]
async fn those_with_accounts_are_not_invited_but_the_others_are() {
    let server = TestServer::start().await;
    let mel = server.user("mel");
    let send = async |emails: &str| mel.post("/invites", json!({"invitee_emails": emails, "stream_ids": []})).await;
    let before = invites(&mel).await.len();
    let failed = |body: Value, errors: Value, sent: bool| {
        assert_eq!(body["errors"], errors);
        assert_eq!(body["sent_invitations"], sent);
        assert_eq!((&body["license_limit_reached"], &body["daily_limit_reached"]), (&json!(false), &json!(false)));
    };

    let body = send("zoe@example.com, nobody").await;
    let message = "Some emails did not validate, so we didn't send any invitations.";
    failed(body.error("INVITATION_FAILED", message), json!([["nobody", "Invalid address.", false]]), false);
    let body = send("zoe@mailinator.com, zoe@example.com").await;
    let disposable = json!([["zoe@mailinator.com", "Please use your real email address.", false]]);
    failed(body.error("INVITATION_FAILED", message), disposable, false);
    let body = send("max@chat.test, dana@chat.test").await;
    let accounts = json!([
        ["max@chat.test", "Already has an account.", false],
        ["dana@chat.test", "Account has been deactivated.", true],
    ]);
    failed(body.error("INVITATION_FAILED", "We weren't able to invite anyone."), accounts, false);
    assert_eq!(invites(&mel).await.len(), before);
    let body = send("max@chat.test, zoe@example.com").await;
    let message = "Some of those addresses are already using the service, so we didn't send them an invitation. We did send invitations to everyone else!";
    let one = json!([["max@chat.test", "Already has an account.", false]]);
    failed(body.error("INVITATION_FAILED", message), one, true);
    assert_eq!(invites(&mel).await.len(), before + 1);
}

#[tokio::test]
async fn inviting_by_email_takes_a_right_and_an_address() {
    let server = TestServer::start().await;
    let [mel, nora] = server.users(["mel", "nora"]);
    let send = async |user: &User, params: Value| user.post("/invites", params).await;

    let nobody = send(&mel, json!({"invitee_emails": " ,\n", "stream_ids": []})).await;
    nobody.error("BAD_REQUEST", "You must specify at least one email address.");
    let missing = send(&mel, json!({"invitee_emails": "zoe@example.com"})).await;
    missing.error("REQUEST_VARIABLE_MISSING", "Missing 'stream_ids' argument");
    let high = json!({"invitee_emails": "zoe@example.com", "stream_ids": [], "invite_as": 200});
    send(&mel, high).await.error("BAD_REQUEST", "Must be an organization administrator");
    let channel = json!({"invitee_emails": "zoe@example.com", "stream_ids": [server.channel("design")]});
    let message = format!("Invalid channel ID {}. No invites were sent.", server.channel("design"));
    send(&nora, channel).await.error("BAD_REQUEST", &message);
    server.allow("can_invite_users_group", SystemGroup::Administrators).await;
    let params = json!({"invitee_emails": "zoe@example.com", "stream_ids": []});
    send(&mel, params).await.error("BAD_REQUEST", "Insufficient permission");
}

#[tokio::test]
async fn an_invitation_by_email_is_sent_again_and_revoked() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let mut at_adam = adam.events(["invites_changed"]).await;
    let administrator = "Must be an organization administrator";

    mel.post("/invites/1/resend", json!({})).await.error("BAD_REQUEST", administrator);
    mel.delete("/invites/1", json!({})).await.error("BAD_REQUEST", administrator);
    adam.post("/invites/1/resend", json!({})).await.is(json!({}));
    at_adam.none().await;
    let again = invites(&adam).await[0].clone();
    assert_eq!((&again["invited"], &again["expiry_date"]), (&json!(NOW), &json!(NOW + 10 * DAY)));
    adam.delete("/invites/1", json!({})).await.is(json!({}));
    changed(&mut at_adam).await;
    for reply in [adam.delete("/invites/1", json!({})).await, adam.post("/invites/1/resend", json!({})).await] {
        reply.error("BAD_REQUEST", "No such invitation");
    }
}

#[tokio::test]
async fn an_invitation_may_be_over_from_the_beginning() {
    let server = TestServer::start().await;
    let adam = server.user("adam");

    let before = invites(&adam).await;
    for minutes in [-1, 0, i64::MIN] {
        let params = json!({"invite_expires_in_minutes": minutes, "invitee_emails": "new@chat.test", "stream_ids": []});
        for path in ["/invites/multiuse", "/invites"] {
            adam.post(path, params.clone()).await.success();
        }
    }
    assert_eq!(invites(&adam).await, before);
    adam.post("/invites/multiuse", json!({"invite_expires_in_minutes": 1})).await.success();
    assert_eq!(invites(&adam).await.len(), before.len() + 1);
}
