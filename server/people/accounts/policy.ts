import type { Joining } from "#contract/endpoints/accounts.ts";
import type { SecondFactorRule } from "#contract/endpoints/people.ts";
import { readUntilChanged } from "#storage/database/read-until-changed.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import type { Visitor } from "#server/lib/route.ts";

/** Who may use this server, as its administrators have chosen. */
export type Policy = {
  joining: Joining;
  /** Whether people can chat in the web app without an account. */
  guests: boolean;
  /** What administrators chose, even if the operator does not allow guests. */
  chosenGuests: boolean;
  /** People with an address of these domains can get an account. */
  emailDomains: string[];
  /** Who must have a second factor. */
  secondFactor: SecondFactorRule;
};

type PolicyChange = Omit<Policy, "guests" | "secondFactor"> & { secondFactor?: SecondFactorRule | undefined };

export type PolicyStore = {
  /** The policy. Each process keeps a copy until somebody changes it. */
  get(): Promise<Policy>;
  /** Without a `secondFactor`, that stays as it is. */
  put(tx: Tx, policy: PolicyChange, nowMs: number): Promise<void>;
  /** Whether the operator allows guests. */
  guestsAllowed: boolean;
};

/** Published when the policy changes. Open streams of guests check it again. */
export const policyTopic = "sign-in-settings";

/** `anonymous`: the operator's setting. If it is off, there are no guests, whatever administrators choose. */
export function createPolicyStore({ db, anonymous }: { db: Database; anonymous: boolean }): PolicyStore {
  async function read(): Promise<Policy> {
    const row = await db.read.selectFrom("auth_settings").selectAll().executeTakeFirst();
    const chosenGuests = row?.guests !== 0;
    return {
      joining: row?.joining ?? "invitation",
      guests: anonymous && chosenGuests,
      chosenGuests,
      secondFactor: row?.second_factor ?? "optional",
      emailDomains: row === undefined ? [] : (JSON.parse(row.email_domains) as string[]),
    };
  }

  return {
    guestsAllowed: anonymous,
    get: readUntilChanged(db, policyTopic, read),
    async put(tx, { joining, chosenGuests, emailDomains, secondFactor }, nowMs) {
      const row = {
        id: "server" as const,
        joining,
        guests: chosenGuests ? 1 : 0,
        email_domains: JSON.stringify(emailDomains),
        updated_at: nowMs,
        ...(secondFactor === undefined ? {} : { second_factor: secondFactor }),
      };
      await tx.q
        .insertInto("auth_settings")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
      tx.publishOnCommit.add(policyTopic);
    },
  };
}

/** Who must have a second factor, as it is stored now. */
export async function secondFactorRuleOf(q: Kysely<Tables>): Promise<SecondFactorRule> {
  const row = await q.selectFrom("auth_settings").select("second_factor").executeTakeFirst();
  return row?.second_factor ?? "optional";
}

/** Whether people can chat in the web app without an account, in the transaction that decides it. */
export async function putGuests(tx: Tx, guests: boolean, nowMs: number): Promise<void> {
  const changed = { guests: guests ? 1 : 0, updated_at: nowMs };
  await tx.q
    .insertInto("auth_settings")
    .values({ id: "server", joining: "invitation", email_domains: "[]", ...changed })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(changed))
    .execute();
  tx.publishOnCommit.add(policyTopic);
}

/** The allowed domains, as they are stored now. */
export async function emailDomainsOf(q: Kysely<Tables>): Promise<string[]> {
  const row = await q.selectFrom("auth_settings").select("email_domains").executeTakeFirst();
  return row === undefined ? [] : (JSON.parse(row.email_domains) as string[]);
}

/** Whether somebody has to set up a second factor before they can do anything else. */
export function lacksRequiredSecondFactor(
  { role, isWithoutSecondFactor }: Pick<Visitor, "role" | "isWithoutSecondFactor">,
  { secondFactor }: Pick<Policy, "secondFactor">,
): boolean {
  if (isWithoutSecondFactor !== true || secondFactor === "optional") return false;
  return secondFactor === "everyone" || role === "admin" || role === "owner";
}
