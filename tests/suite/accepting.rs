//! Following invitations.

use chatdouble::api::invites::accept::accept_invitation;
use chatdouble::error::Error;
use chatdouble::realm::group::SystemGroup;
use chatdouble::realm::id::UserId;
use chatdouble::realm::message::MessagePlace;
use chatdouble::realm::tx::Tx;
use chatdouble::realm::user::Role;
use chatdouble::time::{Span, Timestamp};

const EVERLASTING: &str = "everlastinglinkkeyaaaaaa";
const EXPIRING: &str = "expiringlinkkeyaaaaaaaaa";
const BY_EMAIL: &str = "emailinvitekeyaaaaaaaaaa";

/// The built-in organization, to be changed.
fn tx() -> Tx {
    let fixture = chatdouble::fixture::built_in("default").expect("there is a built-in organization");
    let realm =
        chatdouble::fixture::read(fixture, Timestamp::from_seconds(1_767_268_800), 0).expect("it has no faults");
    Tx::new(realm)
}

/// The direct messages that a user has, as sent.
fn direct_messages(tx: &Tx, user: UserId) -> Vec<String> {
    let is_direct = |place: &MessagePlace| matches!(place, MessagePlace::Direct { .. });
    let messages = tx.messages.values().filter(|message| is_direct(&message.place));
    let received = messages.filter(|message| message.recipients.contains(&user));
    received.map(|message| message.body.content.clone()).collect()
}

fn channels_of(tx: &Tx, user: UserId) -> Vec<String> {
    tx.user_state(user).subscriptions.keys().map(|id| tx.channels[id].name.clone()).collect()
}

#[test]
fn who_follows_a_link_has_its_role_channels_and_welcome_message() {
    let mut tx = tx();

    let user = accept_invitation(&mut tx, EVERLASTING, "zoe@example.com", " Zoe ").expect("the link is in force");

    let zoe = tx.users[&user].clone();
    assert_eq!((zoe.full_name.as_str(), zoe.email.as_str(), zoe.role), ("Zoe", "zoe@example.com", Role::Guest));
    assert!(zoe.is_active && !zoe.joins_at_first_login && zoe.date_joined == tx.now);
    assert!(tx.system_group_members(SystemGroup::Everyone).contains(&user));
    assert_eq!(channels_of(&tx, user), ["town-square"]);
    assert_eq!(direct_messages(&tx, user), ["Have a look around."]);
}

#[test]
fn a_link_may_be_followed_again_and_gives_the_default_channels_when_it_says_so() {
    let mut tx = tx();
    for number in 0..2 {
        let email = format!("guest{number}@example.com");
        let user = accept_invitation(&mut tx, EXPIRING, &email, "Somebody").expect("the link is in force");

        assert_eq!(tx.users[&user].role, Role::Member);
        assert_eq!(channels_of(&tx, user), ["general"]);
        assert!(direct_messages(&tx, user).is_empty(), "there is no welcome text");
    }
}

#[test]
fn an_invitation_by_email_gives_groups_tells_its_sender_and_is_used_up() {
    let mut tx = tx();
    let adam = tx.user_by_email("adam@chat.test").expect("Adam is there").id;

    let user = accept_invitation(&mut tx, BY_EMAIL, "wanda@example.com", "Wanda").expect("the invitation is in force");

    assert_eq!(tx.users[&user].role, Role::Moderator);
    assert_eq!(channels_of(&tx, user), ["engineering"]);
    assert!(tx.group_by_name("engineers").is_some_and(|group| group.members.contains(&user)));
    let received = direct_messages(&tx, adam);
    assert!(received.iter().any(|text| text.ends_with("accepted your invitation to join.")), "{received:?}");
    let again = accept_invitation(&mut tx, BY_EMAIL, "other@example.com", "Other");
    assert_eq!(again, Err(Error::NoSuchInvitation));
}

#[test]
fn the_organization_welcomes_where_the_invitation_does_not() {
    let mut tx = tx();
    let organization = std::sync::Arc::make_mut(&mut tx.realm_mut().organization);
    organization.settings.insert("welcome_message_custom_text", "Hello!".into());
    let link = tx.invite_links.values().find(|link| link.key == EVERLASTING).expect("it is there").as_ref().clone();

    for (text, expected) in [(None, vec!["Hello!"]), (Some(""), vec![]), (Some("Hi"), vec!["Hi"])] {
        let mut link = link.clone();
        link.terms.welcome_message = text.map(str::to_owned);
        tx.put_invite_link(link);
        let email = format!("user{}@example.com", tx.counters.user);
        let user = accept_invitation(&mut tx, EVERLASTING, &email, "Somebody").expect("the link is in force");
        assert_eq!(direct_messages(&tx, user), expected);
    }
}

#[test]
fn unknown_revoked_and_expired_invitations_and_used_addresses_are_refused() {
    let mut tx = tx();
    let mut follow = |key: &str, email: &str| accept_invitation(&mut tx, key, email, "Zoe");
    assert_eq!(follow("nokey", "zoe@example.com"), Err(Error::NoSuchInvitation));
    assert_eq!(follow(EVERLASTING, "Mel@chat.test"), Err(Error::EmailInUse));
    // Mel's too, for the API.
    assert_eq!(follow(EVERLASTING, "user4@chat.test"), Err(Error::EmailInUse));
    // And this one will be somebody's.
    assert_eq!(follow(EVERLASTING, "user999@chat.test"), Err(Error::EmailInUse));
    assert_eq!(follow(EVERLASTING, "zoe"), Err(Error::BadNameOrUsername));
    assert_eq!(accept_invitation(&mut tx, EVERLASTING, "zoe@example.com", " "), Err(Error::NameEmpty));

    let mut link = tx.invite_links.values().find(|link| link.key == EVERLASTING).expect("it is there").as_ref().clone();
    link.is_revoked = true;
    tx.put_invite_link(link);
    assert_eq!(accept_invitation(&mut tx, EVERLASTING, "zoe@example.com", "Zoe"), Err(Error::InvitationRevoked));

    let later = tx.now.plus(Span::from_days(9));
    tx.run_due_items(later);
    let expired = accept_invitation(&mut tx, EXPIRING, "zoe@example.com", "Zoe").expect_err("it is over");
    assert_eq!(expired.message(), "Invitation has expired");
}

#[test]
fn archived_channels_and_deactivated_groups_are_passed_over() {
    let mut tx = tx();
    let engineering = tx.channel_by_name("engineering").expect("it is there").id;
    let engineers = tx.group_by_name("engineers").expect("it is there").id;
    tx.channel_mut(engineering).is_archived = true;
    tx.group_mut(engineers).is_deactivated = true;

    let user = accept_invitation(&mut tx, BY_EMAIL, "wanda@example.com", "Wanda").expect("the invitation is in force");

    assert!(channels_of(&tx, user).is_empty());
    assert!(!tx.groups[&engineers].members.contains(&user));
}
