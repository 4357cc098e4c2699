//! Custom profile fields (GET and POST /realm/profile_fields, PATCH /realm/profile_fields/{field_id},
//! DELETE /realm/profile_fields/{field_id}), and what users say of themselves in them.

use crate::support::{TestServer, User};
use serde_json::{Value, json};

const FIELDS: &str = "/realm/profile_fields";
const DATA: &str = "/users/me/profile_data";

async fn fields(user: &User) -> Vec<Value> {
    let reply = user.get(FIELDS, json!({})).await.success();
    reply["custom_fields"].as_array().cloned().unwrap_or_default()
}

async fn field(user: &User, name: &str) -> i64 {
    let all = fields(user).await;
    let found = all.iter().find(|field| field["name"] == name).and_then(|field| field["id"].as_i64());
    found.unwrap_or_else(|| panic!("no field is called {name}"))
}

#[tokio::test]
async fn each_changed_value_is_sent_to_everybody() {
    let server = TestServer::start().await;
    let [mel, gus, adam] = server.users(["mel", "gus", "adam"]);
    let mut at_gus = gus.events(["realm_user"]).await;
    let (phone, biography, mentor) =
        (field(&mel, "Phone number").await, field(&mel, "Biography").await, field(&mel, "Mentor").await);

    let data = json!([
        {"id": phone, "value": "+49 30 901820"},
        {"id": biography, "value": "I *test*"},
        {"id": mentor, "value": [gus.id()]},
    ]);
    mel.patch(DATA, json!({"data": data})).await.is(json!({}));
    mel.delete(DATA, json!({"data": [phone, phone]})).await.is(json!({}));
    adam.patch(&format!("/users/{}", mel.id()), json!({"profile_data": [{"id": mentor, "value": null}]}))
        .await
        .success();

    for change in [
        json!({"id": biography, "value": "I *test*", "rendered_value": "<p>I <em>test</em></p>"}),
        json!({"id": mentor, "value": format!("[{}]", gus.id())}),
        json!({"id": phone, "value": null}),
        json!({"id": mentor, "value": null}),
    ] {
        at_gus.next().await.is(json!({
            "type": "realm_user", "op": "update", "person": {"user_id": mel.id(), "custom_profile_field": change},
        }));
    }
    at_gus.none().await;
    let own = mel.get("/users/me", json!({})).await.success()["profile_data"].clone();
    assert_eq!((own.get(phone.to_string()), &own[biography.to_string()]["value"]), (None, &json!("I *test*")));
}

#[tokio::test]
async fn an_empty_value_is_kept_unless_somebody_else_gives_it() {
    let server = TestServer::start().await;
    let [mel, adam] = server.users(["mel", "adam"]);
    let (phone, mentor) = (field(&mel, "Phone number").await, field(&mel, "Mentor").await);
    for (id, empty, kept, refused, message) in [
        (phone, json!(""), "", json!([]), "Phone number is not a string"),
        (mentor, json!([]), "[]", json!(""), "User IDs is not a list"),
    ] {
        let own = async || mel.get("/users/me", json!({})).await.success()["profile_data"][id.to_string()].clone();
        mel.patch(DATA, json!({"data": [{"id": id, "value": empty}]})).await.is(json!({}));
        assert_eq!(own().await["value"], kept);
        mel.patch(DATA, json!({"data": [{"id": id, "value": refused}]})).await.error("BAD_REQUEST", message);

        let profile = json!({"profile_data": [{"id": id, "value": empty}]});
        adam.patch(&format!("/users/{}", mel.id()), profile).await.success();
        assert_eq!(own().await, Value::Null);
    }
}

#[tokio::test]
async fn a_value_must_be_one_of_its_field() {
    let server = TestServer::start().await;
    let [mel, adam, dana, bot] = server.users(["mel", "adam", "dana", "build-bot"]);
    let mut events = mel.events(["realm_user"]).await;
    let locked = "You are not allowed to change this field. Contact an administrator to update it.";

    for (name, value, text) in [
        ("Phone number", json!(1), r#"data[1]["value"]["str"] is not a string"#.to_owned()),
        ("Phone number", json!("x".repeat(51)), "Phone number is too long (limit: 50 characters)".to_owned()),
        ("Biography", json!("x".repeat(501)), "Biography is too long (limit: 500 characters)".to_owned()),
        ("Favourite editor", json!("ed"), "'ed' is not a valid choice for 'Favourite editor'.".to_owned()),
        ("Birthday", json!("31.12.1990"), "Birthday is not a date".to_owned()),
        ("Birthday", json!("1990-1-2"), "Birthday is not a date".to_owned()),
        ("Home page", json!("nowhere"), "Home page is not a URL".to_owned()),
        ("Mentor", json!("adam"), "User IDs is not a list".to_owned()),
        ("Mentor", json!(["adam"]), r#"data[1]["value"]["str"] is not a string"#.to_owned()),
        ("Mentor", json!(null), r#"data[1]["value"]["str"] is not a string"#.to_owned()),
        ("Phone number", json!([mel.id()]), "Phone number is not a string".to_owned()),
        ("Mentor", json!([999]), "Invalid user IDs: 999".to_owned()),
        ("Mentor", json!([dana.id()]), format!("User with ID {} is deactivated", dana.id())),
        ("Mentor", json!([bot.id()]), format!("User with ID {} is a bot", bot.id())),
        ("Employee number", json!("E-1"), locked.to_owned()),
    ] {
        let id = field(&mel, name).await;
        let data = json!([{"id": field(&mel, "Pronouns").await, "value": "it"}, {"id": id, "value": value}]);
        mel.patch(DATA, json!({"data": data})).await.with_status(400).error("BAD_REQUEST", &text);
    }
    let id = field(&mel, "Employee number").await;
    let missing = r#"data[0]["value"] field is missing: Field required"#;
    mel.patch(DATA, json!({"data": [{"id": id}]})).await.error("BAD_REQUEST", missing);
    mel.delete(DATA, json!({"data": [id]})).await.error("BAD_REQUEST", locked);
    mel.delete(DATA, json!({"data": [99]})).await.error("BAD_REQUEST", "Field id 99 not found.");
    bot.patch(DATA, json!({"data": []})).await.error("BAD_REQUEST", "This endpoint does not accept bot requests.");
    events.none().await;
    adam.patch(&format!("/users/{}", mel.id()), json!({"profile_data": [{"id": id, "value": "E-7"}]}))
        .await
        .is(json!({}));
}

/// `POST /realm/profile_fields`, `PATCH /realm/profile_fields/{field_id}`, `DELETE /realm/profile_fields/{field_id}`
#[tokio::test]
async fn administrators_make_change_order_and_remove_fields() {
    let server = TestServer::start().await;
    let [adam, mel, gus] = server.users(["adam", "mel", "gus"]);
    let before = fields(&mel).await;
    let mut at_gus = gus.events(["custom_profile_fields"]).await;

    let choices = json!({"0": {"text": "Tea", "order": "1"}, "1": {"text": "Coffee", "order": "2"}});
    let params = json!({"name": " Drink ", "field_type": 3, "field_data": choices, "hint": "Hot ones"});
    let id = adam.post(FIELDS, params).await.success()["id"].as_i64().expect("an id");
    let after = fields(&mel).await;
    assert_eq!(after.len(), before.len() + 1);
    let made = after.last().cloned().unwrap_or_default();
    assert_eq!(
        made,
        json!({
            "id": id, "type": 3, "order": made["order"], "name": "Drink", "hint": "Hot ones",
            "field_data": choices.to_string(), "required": false, "editable_by_user": true,
        })
    );
    at_gus.next().await.is(json!({"type": "custom_profile_fields", "fields": after}));

    mel.patch(DATA, json!({"data": [{"id": id, "value": "1"}]})).await.success();
    let fewer = json!({"0": {"text": "Tea", "order": "1"}});
    adam.patch(&format!("{FIELDS}/{id}"), json!({"field_data": fewer, "required": true})).await.is(json!({}));
    // What can be chosen no more is nobody's value.
    let own = mel.get("/users/me", json!({})).await.success();
    assert_eq!(own["profile_data"].get(id.to_string()), None);
    let mut order: Vec<i64> = fields(&mel).await.iter().filter_map(|field| field["id"].as_i64()).collect();
    order.rotate_right(1);
    adam.patch(FIELDS, json!({"order": order})).await.is(json!({}));
    assert_eq!(fields(&mel).await[0]["id"], id);
    assert_eq!(fields(&mel).await[0]["order"], 0);
    adam.delete(&format!("{FIELDS}/{id}"), json!({})).await.is(json!({}));
    assert_eq!(fields(&mel).await.len(), before.len());
    assert_eq!(at_gus.all().await.len(), 3);
}

#[tokio::test]
async fn fields_are_refused_for_what_is_wrong_with_them() {
    let server = TestServer::start().await;
    let [adam, mel] = server.users(["adam", "mel"]);
    let mut events = mel.events(["custom_profile_fields"]).await;
    let account = |data: Value| json!({"name": "X", "field_type": 7, "field_data": data});
    let choices = |data: Value| json!({"name": "X", "field_type": 3, "field_data": data});
    let tea = json!({"text": "Tea", "order": "1"});

    for (params, text) in [
        (json!({"name": " ", "field_type": 99}), "Label cannot be blank."),
        (json!({"name": "x".repeat(41), "field_type": 99}), "name is too long (limit: 40 characters)"),
        (json!({"name": "X", "hint": "x".repeat(81), "field_type": 99}), "hint is too long (limit: 80 characters)"),
        (json!({"name": "X", "field_type": 99}), "Invalid field type."),
        (json!({"field_type": 3}), "Field must have at least one choice."),
        (choices(json!({"0": {"text": "T"}})), "order key is missing from field_data"),
        (choices(json!({"": tea})), "'value' cannot be blank."),
        (choices(json!({"0": tea, "1": tea})), "Field must not have duplicate choices."),
        (choices(json!([])), "field_data is not a dict"),
        (account(json!({"subtype": "custom"})), "Custom external account must define URL pattern"),
        (account(json!({"subtype": "elsewhere"})), "Invalid external account type"),
        (account(json!({"subtype": "code_host", "color": "red"})), "Unexpected arguments: color"),
        (
            account(json!({"subtype": "custom", "url_pattern": "https://x.test/"})),
            "URL pattern must contain '%(username)s'.",
        ),
        (
            json!({"name": " ", "field_type": 6, "display_in_profile_summary": true}),
            "Only 2 custom profile fields can be displayed in the profile summary.",
        ),
        (json!({"name": "Pronouns", "field_type": 1}), "A field with that label already exists."),
    ] {
        adam.post(FIELDS, params).await.with_status(400).error("BAD_REQUEST", text);
    }
    let id = field(&mel, "Phone number").await;
    let path = format!("{FIELDS}/{id}");
    server.arrange(|tx| {
        let ids: Vec<_> = tx.profile_fields.keys().copied().collect();
        for field in ids {
            let field = tx.realm_mut().profile_fields.get_mut(&field).expect("it is there");
            std::sync::Arc::make_mut(field).in_summary = false;
        }
    });
    let unfit = json!({"name": "X", "field_type": 6, "display_in_profile_summary": true});
    let message = "Field type not supported for display in profile summary.";
    adam.post(FIELDS, unfit).await.error("BAD_REQUEST", message);
    adam.patch(&path, json!({"name": "Pronouns"}))
        .await
        .error("BAD_REQUEST", "A field with that label already exists.");
    adam.patch(FIELDS, json!({"order": [id]})).await.error("BAD_REQUEST", "Invalid order mapping.");
    for method in ["PATCH", "DELETE"] {
        let missing = adam.send(method, &format!("{FIELDS}/99"), &json!({}), Vec::new(), None).await;
        missing.error("BAD_REQUEST", "Field id 99 not found.");
        let denied = mel.send(method, &path, &json!({}), Vec::new(), None).await;
        denied.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    }
    mel.post(FIELDS, json!({})).await.error("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator");
    events.none().await;
}

#[tokio::test]
async fn a_field_for_a_site_that_the_service_knows_is_called_as_the_site_says() {
    let server = TestServer::start().await;
    let adam = server.user("adam");
    let data = json!({"subtype": "code_host"});
    let taken = field(&adam, "Code host").await;
    adam.delete(&format!("{FIELDS}/{taken}"), json!({})).await.success();

    let params = json!({"name": "Mine", "hint": "x", "field_type": 7, "field_data": data});
    let id = adam.post(FIELDS, params).await.success()["id"].clone();

    let of = async || fields(&adam).await.into_iter().find(|field| field["id"] == id).unwrap_or_default();
    let made = of().await;
    assert_eq!((&made["name"], &made["hint"]), (&json!("Code host"), &json!("Your user name there")));
    assert_eq!(made["field_data"], data.to_string());
    let path = format!("{FIELDS}/{id}");
    for change in [json!({"name": "Mine"}), json!({"hint": "x"}), json!({"field_data": {"subtype": "custom"}})] {
        adam.patch(&path, change).await.error("BAD_REQUEST", "Default custom field cannot be updated.");
    }
    adam.patch(&path, json!({"name": "Code host", "field_data": data, "required": true})).await.is(json!({}));
    assert_eq!(of().await["required"], true);
}

#[tokio::test]
async fn people_may_be_found_by_a_field_that_says_so() {
    let server = TestServer::start().await;
    let [olive, mel] = server.users(["olive", "mel"]);
    let mut events = mel.events(["custom_profile_fields"]).await;
    let field = json!({"name": "Account", "field_type": 1, "use_for_user_matching": true});
    let id = olive.post("/realm/profile_fields", field).await.success()["id"].clone();

    let of = |fields: &Value| fields.as_array().into_iter().flatten().find(|one| one["id"] == id).cloned();
    let received = events.next().await.0;
    assert_eq!(of(&received["fields"]).expect("the field")["use_for_user_matching"], true);
    let change = json!({"use_for_user_matching": false});
    olive.patch(&format!("/realm/profile_fields/{id}"), change).await.is(json!({}));
    let listed = mel.get("/realm/profile_fields", json!({})).await.success();
    assert_eq!(of(&listed["custom_fields"]).expect("it is listed").get("use_for_user_matching"), None);
}
