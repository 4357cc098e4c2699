//! Creating a user with address, password and name, without an invitation.

use crate::api::changes::users::creation::{NewPerson, add_person};
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::account_emails::checked_email;
use crate::realm::account_names::checked_name;
use crate::realm::passwords::check_password;
use crate::realm::tx::Tx;
use crate::realm::user::Role;
use schemars::JsonSchema;
use serde::Serialize;

operation! {
    /// Creates a member; for administrators who may create users.
    pub CreateUser = POST "/users", for Administrator;
    params {
        /// Real address, which no other account may have.
        email: String,
        /// At least `password_min_length` code points, 6 by default, and hard enough to guess.
        password: String,
        /// Name that users see, at most 100 code points.
        full_name: String,
    }
    reply UserIdReply;
    errors [
        MayNotCreateUsers, NameTooLong, NameEmpty, NameInvalidCharacters, NameInvalidFormat, NameTaken,
        BadNameOrUsername, EmailContainsPlus, EmailNotAllowed, EmailDisposable, EmailInUse, PasswordTooWeak,
    ];
    events [RealmUserAdd, UserGroupAddMembers, SubscriptionPeerAdd, Message];
}

/// The user who was created.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserIdReply {
    /// ID of the new user.
    pub user_id: i64,
}

impl Write for CreateUser {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<UserIdReply, Error> {
        if !context.caller().can_create_users && context.has(Feature::CreateUsersPermission) {
            return Err(Error::MayNotCreateUsers);
        }
        let full_name = checked_name(tx, &params.full_name, None, context.feature_level)?;
        let email = checked_email(tx, &params.email)?;
        check_password(tx, &params.password, &[&full_name, &email])?;

        let password = Some(params.password);
        let user_id = add_person(tx, NewPerson { email, full_name, password, role: Role::Member, channels: None });
        Ok(UserIdReply { user_id: user_id.0 })
    }
}
