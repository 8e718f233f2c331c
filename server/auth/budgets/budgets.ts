import {
  budgetLimits,
  commonBudgets,
  type BudgetLimits,
  type CommonBudget,
} from "#contract/accounts/budgets.ts";
import type { QueryOf } from "#contract/api.ts";
import type { Budget, BudgetLeft, BudgetUse, CommonBudgetRow } from "#contract/endpoints/budgets.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { readUntilChanged } from "#storage/database/read-until-changed.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { pageOf } from "#server/lib/page.ts";
import { roleOf } from "../accounts/roles.ts";
import { findPlace } from "../rows.ts";
import { periodOf, periodsAt, type Periods } from "./periods.ts";
import * as rows from "./rows.ts";

/** Who asks a model. */
export type Asker = { userId: string; workspaceId: string; projectId: string };

/** How much of models people may use. */
export type Budgets = ReturnType<typeof createBudgets>;

const pageLimit = 50;
const sweepBatch = 200;
/** The sums of a group with 10,000 members took up to 40 ms to add up, on a busy machine. */
const groupUseKeptMs = 5_000;

export function createBudgets({ db, clock }: { db: Database; clock: Clock }) {
  const stored = readUntilChanged(db, rows.budgetsTopic, async () => await rows.readBudgets(db.read));

  /**
   * The limits that apply to the person, and what is used of them. Their own budget is the first that is set of: their own,
   * that of their role, that of everyone. Those of their groups apply besides, and to guests that of all guests, or of their app.
   */
  async function leftOf(
    from: Pick<Tx, "engine" | "q">,
    all: rows.AllBudgets,
    asker: Asker,
  ): Promise<BudgetLeft[]> {
    if (all.limits.size === 0) return [];
    const periods = periodsAt(clock.now());
    const [personal, ofGroups] = await Promise.all([
      leftOfPerson(from, all, asker, periods),
      all.groupIds.size === 0 ? [] : leftOfGroups(from, all, asker, periods),
    ]);
    return [...personal, ...ofGroups].toSorted((a, b) => b.used / b.amount - a.used / a.amount);
  }

  async function leftOfPerson(
    { q }: Pick<Tx, "q">,
    { limits }: rows.AllBudgets,
    asker: Asker,
    periods: Periods,
  ): Promise<BudgetLeft[]> {
    const [{ user }, use] = await Promise.all([
      findPlace(q, asker.userId, asker.workspaceId),
      rows.readUse(q, asker, periods),
    ]);
    const role: CommonBudget = user === undefined ? "app" : roleOf(user);
    const own = user === undefined ? undefined : limits.get(asker.userId);
    const applied = own ?? limits.get(role) ?? limits.get("everyone");
    const personal = applied === undefined ? [] : remainingOf(applied, use, periods, { group: null });
    const appId = user?.app_id ?? null;
    const shared = role === "guest" ? limits.get(appId ?? "guests") : undefined;
    if (shared === undefined) return personal;
    const useOfGuests = await rows.readUseOfGuests(q, periods, appId);
    return [...personal, ...remainingOf(shared, useOfGuests, periods, { group: null, of_guests: true })];
  }

  async function leftOfGroups(
    from: Pick<Tx, "engine" | "q">,
    { limits }: rows.AllBudgets,
    { userId }: Asker,
    periods: Periods,
  ): Promise<BudgetLeft[]> {
    const groups = await rows.readGroupsWithBudget(from.q, userId);
    const uses = await Promise.all(groups.map(async ({ id }) => await usageOfGroup(from, id, periods)));
    return groups.flatMap(({ id, name }, at) =>
      remainingOf(limits.get(id) ?? noLimits, uses[at]!, periods, { group: name }),
    );
  }

  const keptUses = new Map<string, { readAtMs: number; day: string; use: BudgetUse }>();

  /** Not older than `groupUseKeptMs`. */
  async function usageOfGroup(
    from: Pick<Tx, "engine" | "q">,
    id: string,
    periods: Periods,
  ): Promise<BudgetUse> {
    const kept = keptUses.get(id);
    const nowMs = clock.now();
    if (kept?.day === periods.day.name && Math.abs(nowMs - kept.readAtMs) < groupUseKeptMs) return kept.use;
    const use = (await rows.readUseOfGroups(from, [id], periods)).get(id) ?? rows.usageOf([], periods);
    keptUses.set(id, { readAtMs: nowMs, day: periods.day.name, use });
    return use;
  }

  // A transaction must not use `db.read`, and not what other transactions have changed since it began.
  const ownIn = async (tx: Tx, asker: Asker): Promise<BudgetLeft[]> =>
    await leftOf(tx, await rows.readBudgets(tx.q), asker);

  const own = async (asker: Asker): Promise<BudgetLeft[]> =>
    await leftOf({ engine: db.engine, q: db.read }, await stored(), asker);

  function requireLeft(budgets: readonly BudgetLeft[]): void {
    const full = usedUp(budgets);
    if (full === undefined) return;
    const retryAfterSeconds = Math.ceil((Date.parse(full.until) - clock.now()) / 1000);
    throw new AppError("budget-used", { until: full.until, retryAfterSeconds });
  }

  async function presentOwn(found: readonly rows.OwnBudgetRow[]): Promise<Budget[]> {
    const periods = periodsAt(clock.now());
    const source = { engine: db.engine, q: db.read };
    const groupIds = found.flatMap(({ group_id: id }) => id ?? []);
    const userIds = found.filter(({ group_id: id }) => id === null).map(({ id }) => id);
    const [ofGroups, ofPeople] = await Promise.all([
      rows.readUseOfGroups(source, groupIds, periods),
      rows.readUseOfPeople(source, userIds, periods),
    ]);
    return found.map(({ id, group_id: groupId, name, email, limits }) => ({
      id,
      kind: groupId === null ? "person" : "group",
      name,
      email,
      limits: JSON.parse(limits) as BudgetLimits,
      used: (groupId === null ? ofPeople : ofGroups).get(id) ?? rows.usageOf([], periods),
    }));
  }

  return {
    /** Throws `budget-used` if any limit that applies to the person is used up. */
    check: async (asker: Asker): Promise<void> => requireLeft(await own(asker)),
    /** The same in a transaction. */
    checkIn: async (tx: Tx, asker: Asker): Promise<void> => requireLeft(await ownIn(tx, asker)),
    isUsedUpIn: async (tx: Tx, asker: Asker): Promise<boolean> =>
      usedUp(await ownIn(tx, asker)) !== undefined,

    /** What applies to the person, the most used limit first. */
    own,

    /**
     * In the transaction in which people erase their own content: what they used of their budgets stays used, also by
     * requests that `erase` takes their name from.
     */
    async keepUse<T>(tx: Tx, who: Pick<Asker, "userId" | "projectId">, erase: () => Promise<T>): Promise<T> {
      const used = await rows.lockSums(tx, who, periodsAt(clock.now()));
      const erased = await erase();
      await rows.putSums(tx, used);
      return erased;
    },

    /** What all guests of the web app share, or the visitors with an anonymous token of an app. */
    async ofGuests(appId: string | null): Promise<{ budget: BudgetLimits | null; used: BudgetUse }> {
      const [{ limits }, used] = await Promise.all([
        rows.readBudgets(db.read),
        rows.readUseOfGuests(db.read, periodsAt(clock.now()), appId),
      ]);
      return { budget: limits.get(appId ?? "guests") ?? null, used };
    },

    /** Throws `bad-cursor`. */
    async list(query: QueryOf<"budgets.list">) {
      const limit = query.limit ?? pageLimit;
      const after = query.after === undefined ? undefined : await rows.findOwnBudget(db.read, query.after);
      if (query.after !== undefined && after === undefined) throw new AppError("bad-cursor");
      const [{ limits }, found, useOfGuests] = await Promise.all([
        rows.readBudgets(db.read),
        rows.listOwnBudgets(db.read, { search: query.search?.trim() ?? "", after, limit: limit + 1 }),
        rows.readUseOfGuests(db.read, periodsAt(clock.now())),
      ]);
      const { page, next } = pageOf(found, limit);
      return {
        common: commonBudgets.map((id): CommonBudgetRow => ({
          id,
          limits: limits.get(id) ?? null,
          used: id === "guests" ? useOfGuests : null,
        })),
        budgets: await presentOwn(page),
        next,
      };
    },

    /** Throws `budget-not-found`. */
    async put(id: string, limits: BudgetLimits, actor: Actor): Promise<BudgetLimits> {
      await db.write(async (tx) => {
        const holder = await findHolder(tx, id);
        const nowMs = clock.now();
        await rows.putBudget(tx, {
          id,
          group_id: holder === "group" ? id : null,
          user_id: holder === "person" ? id : null,
          limits: JSON.stringify(limits),
          updated_at: nowMs,
        });
        await recordAudit(tx, { action: "budget-set", actor, target: id, details: limits }, nowMs);
      });
      return limits;
    },

    /** Throws `budget-not-found`. */
    async remove(id: string, actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        await findHolder(tx, id);
        if (!(await rows.deleteBudget(tx, id))) return;
        await recordAudit(tx, { action: "budget-removed", actor, target: id }, clock.now());
      });
    },

    /** Deletes sums that no budget needs any more. Returns their number. */
    deleteOldSums: async (signal: AbortSignal): Promise<number> =>
      await sweep(
        async () =>
          await db.write(async (tx) => await rows.deleteOldSums(tx, periodsAt(clock.now()), sweepBatch)),
        { size: sweepBatch, clock, signal },
      ),
  };
}

const noLimits: BudgetLimits = {
  tokens_per_day: null,
  tokens_per_month: null,
  usd_per_day: null,
  usd_per_month: null,
};

async function findHolder(tx: Tx, id: string): Promise<"common" | "group" | "person"> {
  if (commonBudgets.some((common) => common === id)) return "common";
  const holder = await rows.lockHolder(tx, id);
  if (holder === undefined) throw new AppError("budget-not-found");
  return holder;
}

function remainingOf(
  limits: BudgetLimits,
  use: BudgetUse,
  periods: Periods,
  { group, of_guests = false }: { group: string | null; of_guests?: boolean },
): BudgetLeft[] {
  return budgetLimits.flatMap((limit) => {
    const amount = limits[limit];
    const until = isoTime(periods[periodOf(limit)].endsAtMs);
    return amount === null ? [] : [{ limit, amount, used: use[limit], group, of_guests, until }];
  });
}

/** The limit that is used up and lasts longest. */
function usedUp(budgets: readonly BudgetLeft[]): BudgetLeft | undefined {
  const full = budgets.filter(({ used, amount }) => used >= amount);
  return full.toSorted((a, b) => b.until.localeCompare(a.until))[0];
}
