//! The settings of the caller, and its alert words.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

fn setting(property: &str, value: Value) -> Value {
    json!({"type": "user_settings", "op": "update", "property": property, "value": value})
}

fn person(user: &User, key: &str, value: Value) -> Value {
    json!({"type": "realm_user", "op": "update", "person": {"user_id": user.id(), key: value}})
}

#[tokio::test]
async fn each_changed_setting_is_sent_only_to_the_user() {
    let server = TestServer::start().await;
    let [max, mel] = server.users(["max", "mel"]);
    let types = ["user_settings", "realm_user", "user_status"];
    let (mut at_max, mut at_mel) = (max.events(types).await, mel.events(types).await);

    let params = json!({
        "enter_sends": true, "color_scheme": 2, "emojiset": "text", "twenty_four_hour_time": null,
        "starred_message_counts": true, "default_language": "de",
    });
    max.patch("/settings", params).await.is(json!({}));

    at_max.next().await.is(setting("twenty_four_hour_time", Value::Null));
    at_max.next().await.is(setting("color_scheme", json!(2)));
    at_max.next().await.is(json!({
        "type": "user_settings", "op": "update", "property": "default_language", "value": "de", "language_name": "Deutsch",
    }));
    at_max.next().await.is(setting("emojiset", json!("text")));
    at_max.next().await.is(setting("enter_sends", json!(true)));
    at_max.none().await;
    at_mel.none().await;
    let state = max.post("/register", json!({"fetch_event_types": ["user_settings"]})).await.success();
    let settings = &state["user_settings"];
    assert_eq!((&settings["enter_sends"], &settings["default_language"]), (&json!(true), &json!("de")));
}

#[tokio::test]
async fn older_addresses_of_the_settings_do_the_same() {
    let server = TestServer::start().await;
    let max = server.user("max");
    let mut queue = max.events(["user_settings", "realm_user"]).await;

    max.patch("/settings/display", json!({"enable_sounds": false, "full_name": "Maxim"})).await.is(json!({}));
    max.patch("/settings/notifications", json!({"enter_sends": true, "dense_mode": true}))
        .await
        .is(json!({"ignored_parameters_unsupported": ["dense_mode"]}));

    queue.next().await.is(person(&max, "full_name", json!("Maxim")));
    queue.next().await.is(setting("enable_sounds", json!(false)));
    queue.next().await.is(setting("enter_sends", json!(true)));
    queue.none().await;
    let refused = max.patch("/settings/display", json!({"color_scheme": 9})).await;
    refused.error("BAD_REQUEST", "Invalid color_scheme: Value error, Not in the list of possible values");
}

#[tokio::test]
async fn unknown_settings_are_ignored_and_bots_have_none() {
    let server = TestServer::start().await;
    let [max, bot] = server.users(["max", "build-bot"]);

    max.patch("/settings", json!({"dense_mode": true}))
        .await
        .is(json!({"ignored_parameters_unsupported": ["dense_mode"]}));
    bot.patch("/settings", json!({})).await.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
}

#[tokio::test]
async fn a_refused_setting_changes_nothing() {
    let server = TestServer::start().await;
    let [max, mona, dana] = server.users(["max", "mona", "dana"]);
    let mut events = max.events(["user_settings", "realm_user", "user_status"]).await;
    let impossible = |name: &str| format!("Invalid {name}: Value error, Not in the list of possible values");

    for (params, text) in [
        (json!({"enter_sends": 1}), "enter_sends is not a boolean".to_owned()),
        (json!({"color_scheme": "x"}), "color_scheme is not valid JSON".to_owned()),
        (json!({"color_scheme": 9}), impossible("color_scheme")),
        (json!({"emojiset": "x"}), impossible("emojiset")),
        (json!({"email_address_visibility": 9}), impossible("email_address_visibility")),
        (json!({"timezone": "europe/lisbon"}), "Invalid timezone: Value error, Not a recognized time zone".to_owned()),
        (json!({"timezone": "Mars/Olympus"}), "Invalid timezone: Value error, Not a recognized time zone".to_owned()),
        (json!({"default_language": "xx"}), "Invalid default_language".to_owned()),
        (json!({"notification_sound": "moo"}), "Invalid notification sound 'moo'".to_owned()),
        (
            json!({"email_notifications_batching_period_seconds": 0}),
            "Invalid email batching period: 0 seconds".to_owned(),
        ),
        (
            json!({"email_notifications_batching_period_seconds": 604_801}),
            "Invalid email batching period: 604801 seconds".to_owned(),
        ),
        (json!({"new_password": "x", "old_password": "wrong"}), "Wrong password!".to_owned()),
        (json!({"new_password": "12345", "old_password": "max-password-7421"}), "New password is too weak!".to_owned()),
        (json!({"web_home_view": "x"}), "Invalid web_home_view".to_owned()),
        (json!({"web_animate_image_previews": "x"}), "Invalid web_animate_image_previews".to_owned()),
        (
            json!({"resolved_topic_notice_auto_read_policy": "x"}),
            "Invalid resolved_topic_notice_auto_read_policy".to_owned(),
        ),
        (json!({"email": "nonsense"}), "Invalid address.".to_owned()),
        (json!({"email": "mäx@chat.test"}), "Invalid address.".to_owned()),
        (json!({"email": mona.email()}), "Already has an account.".to_owned()),
        (json!({"email": dana.email()}), "Account has been deactivated.".to_owned()),
        (json!({"email": "max@mailinator.com"}), "Please use your real email address.".to_owned()),
        (json!({"full_name": "*"}), "Invalid characters in name!".to_owned()),
    ] {
        let mut all = json!({"enter_sends": true});
        for (key, value) in params.as_object().into_iter().flatten() {
            all[key] = value.clone();
        }
        max.patch("/settings", all).await.with_status(400).error("BAD_REQUEST", &text);
    }
    server.set("emails_restricted_to_domains", true).await;
    let outside = max.patch("/settings", json!({"enter_sends": true, "email": "max@elsewhere.test"})).await;
    outside.error("BAD_REQUEST", "Outside your domain.");
    events.none().await;
}

#[tokio::test]
async fn the_organization_may_keep_names_and_addresses() {
    let server = TestServer::start().await;
    let [max, adam] = server.users(["max", "adam"]);
    let mut events = max.events(["realm_user"]).await;
    adam.patch("/realm", json!({"name_changes_disabled": true, "email_changes_disabled": true})).await.success();

    max.patch("/settings", json!({"full_name": "Maxim"})).await.is(json!({}));
    let refused = max.patch("/settings", json!({"email": "m@chat.test"})).await;
    refused.error("BAD_REQUEST", "Email address changes are disabled in this organization.");
    events.none().await;
    adam.patch("/settings", json!({"full_name": "Adam A.", "email": "a@chat.test"})).await.is(json!({}));
    events.next().await.is(person(&adam, "full_name", json!("Adam A.")));
    events.none().await;
    // A new address waits for its confirmation.
    assert_eq!(adam.get("/users/me", json!({})).await.success()["delivery_email"], adam.email());
}

#[tokio::test]
async fn a_new_password_is_the_one_that_logs_in() {
    let server = TestServer::start().await;
    let (max, visitor) = (server.user("max"), server.anonymous());
    let log_in = async |password: &str| {
        visitor.post("/fetch_api_key", json!({"username": max.email(), "password": password})).await
    };

    let params = json!({"old_password": "max-password-7421", "new_password": "purple-otter-9983"});
    max.patch("/settings", params).await.is(json!({}));

    log_in("max-password-7421")
        .await
        .with_status(401)
        .error("AUTHENTICATION_FAILED", "Your username or password is incorrect");
    assert_eq!(log_in("purple-otter-9983").await.success()["user_id"], max.id());
}

#[tokio::test]
async fn a_new_time_zone_is_sent_to_all_in_its_canonical_form() {
    let server = TestServer::start().await;
    let [max, gus] = server.users(["max", "gus"]);
    let types = ["user_settings", "realm_user"];
    let (mut at_max, mut at_gus) = (max.events(types).await, gus.events(types).await);

    max.patch("/settings", json!({"timezone": "Europe/Lisbon"})).await.is(json!({}));
    max.patch("/settings", json!({"timezone": "Europe/Lisbon"})).await.is(json!({}));

    let person = json!({"user_id": max.id(), "email": max.email(), "timezone": "Europe/Lisbon"});
    let received = json!({"type": "realm_user", "op": "update", "person": person});
    at_max.next().await.is(setting("timezone", json!("Europe/Lisbon")));
    at_max.next().await.is(received.clone());
    at_gus.next().await.is(received);
    at_max.none().await;
    at_gus.none().await;
    // A former name is none that the user has.
    for _ in 0..2 {
        max.patch("/settings", json!({"timezone": "US/Pacific"})).await.is(json!({}));
        at_max.next().await.is(setting("timezone", json!("America/Los_Angeles")));
        at_gus.next().await.has(json!({"person": {"timezone": "America/Los_Angeles"}}));
        at_max.next().await.has(json!({"person": {"timezone": "America/Los_Angeles"}}));
    }
}

#[tokio::test]
async fn who_switches_presence_off_is_away() {
    let server = TestServer::start().await;
    let [max, gus] = server.users(["max", "gus"]);
    let (mut at_max, mut at_gus) =
        (max.events(["user_settings"]).await, gus.events(["user_settings", "user_status"]).await);

    max.patch("/settings", json!({"presence_enabled": false})).await.is(json!({}));

    at_max.next().await.is(setting("presence_enabled", json!(false)));
    at_gus.next().await.is(json!({"type": "user_status", "user_id": max.id(), "away": true}));
    at_gus.none().await;
}

#[tokio::test]
async fn drafts_end_with_their_synchronization() {
    let server = TestServer::start().await;
    let mel = server.user("mel");

    mel.patch("/settings", json!({"enable_drafts_synchronization": false})).await.is(json!({}));

    let state = mel.post("/register", json!({"fetch_event_types": ["drafts"]})).await.success();
    assert_eq!(state["drafts"], json!([]));
}

#[tokio::test]
async fn an_address_is_sent_to_those_who_come_to_see_it_and_removed_for_the_others() {
    let server = TestServer::start().await;
    let [max, adam, mona, mel] = server.users(["max", "adam", "mona", "mel"]);
    let dummy = format!("user{}@chat.test", max.id());
    let row =
        async |viewer: &User| viewer.get(&format!("/users/{}", max.id()), json!({})).await.success()["user"].clone();
    let (mut at_adam, mut at_mona, mut at_mel, mut at_max) = (
        adam.events(["realm_user"]).await,
        mona.events(["realm_user"]).await,
        mel.events(["realm_user"]).await,
        max.events(["realm_user"]).await,
    );

    max.patch("/settings", json!({"email_address_visibility": 5})).await.is(json!({}));

    at_mel.next().await.is(person(&max, "delivery_email", Value::Null));
    for queue in [&mut at_adam, &mut at_mona, &mut at_mel, &mut at_max] {
        queue.next().await.is(person(&max, "new_email", json!(dummy)));
        queue.next().await.has(json!({"person": {"avatar_source": "G"}}));
        queue.none().await;
    }
    assert_eq!(
        (&row(&mona).await["delivery_email"], &row(&mel).await["delivery_email"]),
        (&json!(max.email()), &Value::Null)
    );

    // From some to others: the address for the API stays.
    max.patch("/settings", json!({"email_address_visibility": 3})).await.is(json!({}));
    at_mona.next().await.is(person(&max, "delivery_email", Value::Null));
    // A picture at the provider is found by the address: users who do not see it get the picture's own address.
    at_mona.next().await.has(json!({"person": {"avatar_source": "G"}}));
    for queue in [&mut at_adam, &mut at_mona, &mut at_mel, &mut at_max] {
        queue.none().await;
    }
    max.patch("/settings", json!({"email_address_visibility": 1})).await.is(json!({}));
    at_mel.next().await.is(person(&max, "delivery_email", json!(max.email())));
    at_mel.next().await.is(person(&max, "new_email", json!(max.email())));
    at_adam.next().await.is(person(&max, "new_email", json!(max.email())));
}

#[tokio::test]
async fn alert_words_stand_between_blanks_and_certain_marks() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    mel.post("/users/me/alert_words", json!({"alert_words": ["zebra", "#gnu"]})).await.success();
    let mut at_mel = mel.events(["message"]).await;
    let alerting = [
        "zebra",
        "a (zebra)",
        "a *zebra*",
        "a `Zebra`",
        "a\nzebra!",
        "a\tzebra\tb",
        "?zebra",
        "1zebra",
        "x#gnu",
        "> zebra",
        "```quote\na zebra\n```",
        "```spoiler a zebra\nb\n```",
        "a\n```\ncode\n```\nzebra",
    ];
    let others = [
        "zebras",
        "a\"zebra\"",
        "a ?zebra",
        "a-zebra",
        "zebra-",
        "_zebra_",
        "~~zebra~~",
        "http://a.test/zebra",
        "«zebra»",
        "a x#gnu",
        "```\nzebra\n```",
        "~~~ python\nzebra",
        "```math\nzebra\n```",
        "zebra…",
    ];
    for (texts, flags) in [(&alerting[..], json!(["has_alert_word"])), (&others[..], json!([]))] {
        for text in texts {
            max.send_to("general", "t", text).await;
            assert_eq!(at_mel.next().await.0["flags"], flags, "{text}");
        }
    }
}

#[tokio::test]
async fn alert_words_are_the_same_whatever_their_case() {
    let server = TestServer::start().await;
    let [mel, max] = server.users(["mel", "max"]);
    let mut at_mel = mel.events(["alert_words", "message"]).await;
    let words = "/users/me/alert_words";

    mel.get(words, json!({})).await.is(json!({"alert_words": ["deploy", "coffee machine"]}));
    let all = json!(["deploy", "coffee machine", "CRÈME"]);
    mel.post(words, json!({"alert_words": ["DEPLOY", " Crème ", "CRÈME", "  "]})).await.is(json!({"alert_words": all}));
    at_mel.next().await.is(json!({"type": "alert_words", "alert_words": all}));
    let id = max.send_to("general", "t", "No crème today").await;
    at_mel.next().await.has(json!({"message": {"id": id}, "flags": ["has_alert_word"]}));

    let left = json!({"alert_words": ["coffee machine"]});
    mel.delete(words, json!({"alert_words": ["crème", "Deploy", "none"]})).await.is(left.clone());
    at_mel.next().await.has(left);
    max.send_to("general", "t", "No crème again").await;
    at_mel.next().await.has(json!({"type": "message", "flags": []}));
    let long = json!({"alert_words": ["a", "x".repeat(101)]});
    mel.post(words, long).await.error("BAD_REQUEST", "alert_words[1] is too long (limit: 100 characters)");
    mel.post(words, json!({})).await.error("REQUEST_VARIABLE_MISSING", "Missing 'alert_words' argument");
    at_mel.none().await;
}

#[tokio::test]
async fn slash_commands_change_settings() {
    let server = TestServer::start().await;
    let [max, bot] = server.users(["max", "build-bot"]);
    let mut at_max = max.events(["user_settings"]).await;
    let run = async |command: &str| max.post("/zcommand", json!({"command": command})).await;

    for (command, message) in [
        ("/ping", ""),
        ("/dark", "Changed to dark theme! To revert dark theme, type `/light`."),
        ("/dark", "You are still in dark theme."),
        ("/light", "Changed to light theme! To revert light theme, type `/dark`."),
        ("/fluid-width", "Changed to fluid-width mode! To revert fluid-width mode, type `/fixed-width`."),
        ("/fixed-width", "Changed to fixed-width mode! To revert fixed-width mode, type `/fluid-width`."),
        ("/fixed-width", "You are still in fixed width mode."),
    ] {
        let reply = run(command).await;
        assert_eq!((reply.status, &reply.body["msg"]), (200, &json!(message)), "{command}");
    }
    run("/night").await.error("BAD_REQUEST", "No such command: night");
    run("dark").await.error("BAD_REQUEST", "A command begins with a slash.");
    run("/dance").await.error("BAD_REQUEST", "No such command: dance");
    let refused = bot.post("/zcommand", json!({"command": "/dark"})).await;
    refused.error("BAD_REQUEST", "This endpoint does not accept bot requests.");

    at_max.next().await.is(setting("color_scheme", json!(2)));
    at_max.next().await.is(setting("color_scheme", json!(3)));
    at_max.next().await.is(setting("fluid_layout_width", json!(true)));
    at_max.next().await.is(setting("fluid_layout_width", json!(false)));
    at_max.none().await;
}

#[tokio::test]
async fn settings_of_one_request_are_changed_in_one_order_whatever_their_kinds() {
    let server = TestServer::start().await;
    let nora = server.user("nora");
    let mut events = nora.events(["user_settings"]).await;
    let params = json!({
        "user_list_style": 1, "enter_sends": true, "enable_sounds": false, "notification_sound": "none", "timezone": "Europe/Rome",
        "web_font_size_px": 15, "fluid_layout_width": true, "web_inbox_show_channel_folders": false,
    });
    nora.patch("/settings", params).await.success();
    let received = events.all().await;
    let received: Vec<&str> = received.iter().filter_map(|event| event["property"].as_str()).collect();
    let expected = [
        "fluid_layout_width",
        "web_font_size_px",
        "notification_sound",
        "enable_sounds",
        "enter_sends",
        "user_list_style",
        "web_inbox_show_channel_folders",
        "timezone",
    ];
    assert_eq!(received, expected);
}
