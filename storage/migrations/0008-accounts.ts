import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** The first user, who owns the server. */
const firstUser = `usr_0${"0".repeat(24)}`;

/** Adds accounts with passwords, invitations, requests to join, the settings of sign-in, and the audit log. */
export async function accounts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  const statements = [
    // Servers of the version before compare `kind` with 'admin', so owners keep that kind.
    sql`alter table users add column is_owner ${int} not null default 0`,
    sql`alter table users add column email_key ${text}`,
    sql`alter table users add column email_verified_at ${bigint}`,
    sql`alter table users add column joined_at ${bigint}`,
    sql`alter table users add column merged_into ${text}`,
    sql`update users set is_owner = 1 where id = ${sql.lit(firstUser)}`,
    sql`create unique index users_by_email on users (email_key) where email_key is not null`,
    sql`create index users_joined on users (joined_at, id) where joined_at is not null`,
    sql`alter table sessions add column address ${text}`,
    sql`alter table sessions add column method ${text}`,

    sql`create table passwords (
      user_id ${text} not null primary key references users (id) on delete cascade,
      hash ${text} not null,
      changed_at ${bigint} not null
    ) ${strict}`,

    sql`create table account_tokens (
      token_hash ${text} not null primary key,
      purpose ${text} not null,
      user_id ${text} not null references users (id) on delete cascade,
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      used_at ${bigint}
    ) ${strict}`,
    sql`create index account_tokens_by_user on account_tokens (user_id)`,

    sql`create table invitations (
      id ${text} not null primary key,
      token_hash ${text} not null,
      role ${text} not null,
      note ${text},
      created_by ${text} references users (id) on delete set null,
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      used_at ${bigint},
      used_by ${text} references users (id) on delete set null,
      revoked_at ${bigint}
    ) ${strict}`,
    sql`create unique index invitations_by_token on invitations (token_hash)`,
    sql`create index invitations_by_creator on invitations (created_by)`,
    sql`create index invitations_by_user on invitations (used_by)`,

    sql`create table join_requests (
      user_id ${text} not null primary key references users (id) on delete cascade,
      created_at ${bigint} not null
    ) ${strict}`,

    sql`create table auth_settings (
      id ${text} not null primary key,
      joining ${text} not null,
      guests ${int} not null,
      email_domains ${text} not null,
      updated_at ${bigint} not null
    ) ${strict}`,

    // Without foreign keys: entries outlive the people that they are about.
    sql`create table audit_entries (
      id ${text} not null primary key,
      at ${bigint} not null,
      action ${text} not null,
      actor ${text} not null,
      target ${text},
      address ${text},
      details ${text}
    ) ${strict}`,
    sql`create index audit_by_time on audit_entries (at, id)`,
    sql`create index audit_by_actor on audit_entries (actor, at)`,
    sql`create index audit_by_target on audit_entries (target, at)`,
    ...appendOnly[engine].map((statement) => sql.raw(statement)),
  ];
  for (const statement of statements) await statement.execute(db);
}

const message = "audit entries cannot be changed";
const appendOnly: Record<Engine, string[]> = {
  sqlite: ["update", "delete"].map(
    (event) =>
      `create trigger audit_no_${event} before ${event} on audit_entries begin select raise(abort, '${message}'); end`,
  ),
  postgres: [
    `create function audit_append_only() returns trigger language plpgsql as $$
     begin raise exception '${message}'; end $$`,
    `create trigger audit_append_only before update or delete on audit_entries
     for each row execute function audit_append_only()`,
  ],
};
