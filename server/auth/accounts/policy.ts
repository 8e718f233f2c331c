import type { Joining } from "#contract/endpoints/accounts.ts";
import type { Database, Tx } from "#storage/database/database.ts";

/** Who may use this server, as its administrators have chosen. */
export type Policy = {
  joining: Joining;
  /** Whether people can chat without an account. */
  guests: boolean;
  /** What administrators chose, whether or not the operator allows guests. */
  chosenGuests: boolean;
  /** People with an address of these domains can ask for an account. */
  emailDomains: string[];
};

export type PolicyStore = {
  /** The policy. Each process keeps a copy until somebody changes it. */
  get(): Promise<Policy>;
  put(tx: Tx, policy: Omit<Policy, "guests">, nowMs: number): Promise<void>;
  /** Whether the operator allows guests. */
  guestsAllowed: boolean;
};

/** Published when the policy changes. Open streams of guests check it again. */
export const policyTopic = "sign-in-settings";

/** `anonymous`: the operator's setting. If it is off, there are no guests, whatever administrators choose. */
export function createPolicyStore({ db, anonymous }: { db: Database; anonymous: boolean }): PolicyStore {
  let current: Promise<Policy> | undefined;
  db.pubSub.subscribe(policyTopic, () => (current = undefined));

  async function read(): Promise<Policy> {
    const row = await db.read.selectFrom("auth_settings").selectAll().executeTakeFirst();
    const chosenGuests = row?.guests !== 0;
    return {
      joining: row?.joining ?? "invitation",
      guests: anonymous && chosenGuests,
      chosenGuests,
      emailDomains: row === undefined ? [] : (JSON.parse(row.email_domains) as string[]),
    };
  }

  return {
    guestsAllowed: anonymous,
    async get() {
      const reading = (current ??= read());
      try {
        return await reading;
      } catch (error) {
        if (current === reading) current = undefined;
        throw error;
      }
    },
    async put(tx, { joining, chosenGuests, emailDomains }, nowMs) {
      const row = {
        id: "server" as const,
        joining,
        guests: chosenGuests ? 1 : 0,
        email_domains: JSON.stringify(emailDomains),
        updated_at: nowMs,
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
