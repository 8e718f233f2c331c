import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/** Projects, workspaces and users, and how users and backends sign in. */
export function accounts(engine: Engine): RawBuilder<unknown>[] {
  const { text, bigint, strict } = sqlTypes(engine);
  return [
    sql`create table projects (
      id ${text} not null primary key,
      name ${text} not null,
      allowed_origins ${text} not null,
      created_at ${bigint} not null
    ) ${strict}`,

    sql`create table workspaces (
      id ${text} not null primary key,
      project_id ${text} not null references projects (id),
      realm ${text} not null,
      name ${text} not null,
      created_at ${bigint} not null
    ) ${strict}`,
    sql`create unique index workspaces_by_name on workspaces (project_id, realm, name)`,

    sql`create table users (
      id ${text} not null primary key,
      kind ${text} not null,
      workspace_id ${text} not null references workspaces (id),
      email ${text},
      name ${text},
      created_at ${bigint} not null,
      last_seen_at ${bigint} not null,
      disabled_at ${bigint}
    ) ${strict}`,
    sql`create index users_by_workspace on users (workspace_id)`,

    sql`create table sessions (
      id ${text} not null primary key,
      token_hash ${text} not null,
      user_id ${text} not null references users (id) on delete cascade,
      device ${text},
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      revoked_at ${bigint}
    ) ${strict}`,
    sql`create unique index sessions_by_token on sessions (token_hash)`,
    sql`create index sessions_by_user on sessions (user_id)`,
    sql`create index sessions_by_end on sessions (expires_at)`,
    sql`create index sessions_revoked on sessions (revoked_at) where revoked_at is not null`,

    sql`create table api_keys (
      id ${text} not null primary key,
      key_hash ${text} not null,
      prefix ${text} not null,
      project_id ${text} not null references projects (id),
      name ${text} not null,
      created_by ${text} references users (id) on delete set null,
      created_at ${bigint} not null,
      last_used_at ${bigint},
      expires_at ${bigint},
      revoked_at ${bigint}
    ) ${strict}`,
    sql`create unique index api_keys_by_key on api_keys (key_hash)`,

    sql`create table jwt_rules (
      id ${text} not null primary key,
      project_id ${text} not null references projects (id),
      issuer ${text} not null,
      audience ${text} not null,
      jwks_url ${text} not null,
      workspace_claim ${text},
      algorithms ${text} not null,
      created_at ${bigint} not null
    ) ${strict}`,
    sql`create unique index jwt_rules_once on jwt_rules (issuer, audience)`,
  ];
}
