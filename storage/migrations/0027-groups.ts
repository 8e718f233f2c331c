import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds groups of people with their rights, and the rights of members and guests. */
export async function groups(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict, clustered } = sqlTypes(engine);
  const statements = [
    sql`create table user_groups (
      id ${text} not null primary key,
      name ${text} not null,
      name_key ${text} not null,
      rights ${text} not null,
      claim_provider_id ${text} references sign_in_providers (id) on delete set null,
      claim_value ${text},
      created_at ${bigint} not null,
      updated_at ${bigint} not null
    ) ${strict}`,
    sql`create unique index user_groups_by_name on user_groups (name_key)`,
    sql`create index user_groups_by_claim on user_groups (claim_provider_id)`,
    sql`create table user_group_members (
      group_id ${text} not null references user_groups (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      added_at ${bigint} not null,
      primary key (group_id, user_id)
    ) ${clustered}`,
    sql`create index user_group_members_by_user on user_group_members (user_id, group_id)`,
    sql`create table access_settings (
      id ${text} not null primary key,
      member_rights ${text} not null,
      guest_rights ${text} not null,
      link_sharing ${int} not null,
      updated_at ${bigint} not null
    ) ${strict}`,
    sql`alter table sign_in_providers add column groups_claim ${text}`,
  ];
  for (const statement of statements) await statement.execute(db);
}
