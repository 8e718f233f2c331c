import type { BudgetLimits } from "#contract/accounts/budgets.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { readUntilChanged } from "#storage/database/read-until-changed.ts";
import type { Row } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { policyTopic, type PolicyStore } from "#server/people/accounts/policy.ts";
import { deleteBudget, putBudget, readBudgets } from "#server/people/budgets/rows.ts";
import { owner } from "./first-app.ts";
import { publishRightsChange, readAccessSettings } from "#server/people/rights/rows.ts";
import * as rows from "./rows.ts";

/** Whether an app issues anonymous tokens, and what its visitors who have one may use. */
type AnonymousAccess = {
  isOn: boolean;
  /** The ids of the models that they may use; null for all. */
  models: string[] | null;
  /** They share it. */
  budget: BudgetLimits | null;
};

/** Anonymous tokens of apps. The operator's setting can turn all of them off. */
export type AnonymousTokens = {
  /** Whether the app issues and accepts anonymous tokens. */
  areOn(appId: string): Promise<boolean>;
  /**
   * What administrators chose for the app. Until they do (`isDecided` is false), its visitors count as guests of the web
   * app. Throws `app-not-found`.
   */
  get(appId: string): Promise<Pick<AnonymousAccess, "isOn" | "models"> & { isDecided: boolean }>;
  /** Whether the operator allows them. */
  areAllowed: boolean;
  /** The apps that issue them, oldest first. */
  listOn(): Promise<{ id: string; name: string; hasBudget: boolean }[]>;
  /**
   * The app that a page of this origin gets anonymous tokens from: the oldest that lists the origin and issues them, else
   * the first app. Such a request has no credential that names an app.
   */
  appOf(origin: string | undefined): Promise<string>;
};

export function createAnonymousTokens({
  db,
  policy,
}: {
  db: Database;
  policy: PolicyStore;
}): AnonymousTokens {
  /** What `areOn` needs, for each request with such a token. */
  const idsOn = readUntilChanged(db, policyTopic, async () => new Set((await listOn()).map(({ id }) => id)));

  async function listOn(): Promise<Row<"apps">[]> {
    if (!policy.guestsAllowed) return [];
    const [apps, { guests }] = await Promise.all([rows.listApps(db), policy.get()]);
    // Until somebody decides, the first app has what the web app has.
    return apps.filter(({ id, anonymous_tokens: decided }) =>
      decided === null ? id === owner.appId && guests : decided === 1,
    );
  }

  return {
    areAllowed: policy.guestsAllowed,
    async get(appId) {
      const row = await rows.findApp(db, appId);
      if (row === undefined) throw new AppError("app-not-found");
      const { anonymous_tokens: decided, anonymous_models: models } = row;
      if (decided !== null) {
        const list = models === null ? null : (JSON.parse(models) as string[]);
        return { isOn: decided === 1, models: list, isDecided: true };
      }
      const [{ chosenGuests }, { guest }] = await Promise.all([policy.get(), readAccessSettings(db.read)]);
      return {
        isOn: appId === owner.appId && chosenGuests,
        models: guest.models,
        isDecided: false,
      };
    },
    areOn: async (appId) => (await idsOn()).has(appId),
    async listOn() {
      const [apps, { limits }] = await Promise.all([listOn(), readBudgets(db.read)]);
      return apps.map(({ id, name, anonymous_tokens: decided }) => ({
        id,
        name,
        hasBudget: limits.has(decided === null ? "guests" : id),
      }));
    },
    async appOf(origin) {
      if (origin === undefined) return owner.appId;
      const listing = (await listOn()).find(({ allowed_origins: list }) =>
        (JSON.parse(list) as string[]).includes(origin),
      );
      return listing?.id ?? owner.appId;
    },
  };
}

/** Decides about an app's anonymous tokens. Takes effect at once, in every process. Throws `app-not-found`. */
export async function putAnonymousAccess(
  { db, clock }: { db: Database; clock: Clock },
  appId: string,
  { isOn, models, budget }: AnonymousAccess,
  actor: Actor,
): Promise<void> {
  await db.write(async (tx) => {
    if (!(await rows.lockApps(tx)).some(({ id }) => id === appId)) throw new AppError("app-not-found");
    const nowMs = clock.now();
    await store(tx, appId, { isOn, models });
    if (budget === null) await deleteBudget(tx, appId);
    else
      await putBudget(tx, {
        id: appId,
        group_id: null,
        user_id: null,
        limits: JSON.stringify(budget),
        updated_at: nowMs,
      });
    const entry = { action: "app-anonymous-tokens-changed", actor, target: appId } as const;
    await recordAudit(tx, { ...entry, details: { is_on: isOn, models, budget } }, nowMs);
  });
}

/** In the transaction that creates the first account: the first app issues no anonymous tokens, unless somebody decided. */
export async function turnOffUndecided(tx: Tx): Promise<void> {
  const first = (await rows.lockApps(tx)).find(({ id }) => id === owner.appId);
  if (first?.anonymous_tokens === null) await store(tx, first.id, { isOn: false, models: null });
}

async function store(tx: Tx, appId: string, access: Pick<AnonymousAccess, "isOn" | "models">): Promise<void> {
  await rows.setAnonymousTokens(tx, appId, access);
  publishRightsChange(tx);
  tx.publishOnCommit.add(policyTopic);
}
