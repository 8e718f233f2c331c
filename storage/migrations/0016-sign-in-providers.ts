import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the providers that people sign in with, who they are there, and the sign-ins that have begun. */
export async function signInProviders(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  const statements = [
    sql`create table sign_in_providers (
      id ${text} not null primary key,
      kind ${text} not null,
      name ${text} not null,
      issuer ${text} not null,
      client_id ${text} not null,
      email_domains ${text} not null,
      trusts_email ${int} not null,
      admits_everyone ${int} not null,
      created_at ${bigint} not null,
      updated_at ${bigint} not null
    ) ${strict}`,
    // Apart from the provider, so that backups can leave the secrets out.
    sql`create table sign_in_provider_secrets (
      provider_id ${text} not null primary key references sign_in_providers (id) on delete cascade,
      ciphertext ${text} not null,
      key_id ${text} not null
    ) ${strict}`,
    sql`create table identities (
      provider_id ${text} not null references sign_in_providers (id) on delete cascade,
      subject ${text} not null,
      user_id ${text} not null references users (id) on delete cascade,
      email ${text},
      created_at ${bigint} not null,
      last_used_at ${bigint} not null,
      primary key (provider_id, subject)
    ) ${strict}`,
    sql`create unique index identities_by_user on identities (user_id, provider_id)`,
    sql`create table sign_in_flows (
      flow_hash ${text} not null primary key,
      provider_id ${text} not null references sign_in_providers (id) on delete cascade,
      user_id ${text} references users (id) on delete cascade,
      invitation_hash ${text},
      expires_at ${bigint} not null
    ) ${strict}`,
    sql`create index sign_in_flows_by_user on sign_in_flows (user_id)`,
    sql`create index sign_in_flows_by_expiry on sign_in_flows (expires_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
