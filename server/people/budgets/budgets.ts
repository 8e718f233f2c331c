import {
  budgetLimits,
  commonBudgets,
  isInTokens,
  type BudgetLimit,
  type BudgetLimits,
  type CommonBudget,
} from "#contract/accounts/budgets.ts";
import type { QueryOf } from "#contract/api.ts";
import type { Budget, BudgetLeft, BudgetUse, CommonBudgetRow } from "#contract/endpoints/budgets.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { lockByName } from "#storage/database/portable-sql.ts";
import { readUntilChanged } from "#storage/database/read-until-changed.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { sweep } from "#server/lib/batched-sweep.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { pageOf, rowAt } from "#server/lib/page.ts";
import { roleOf } from "../accounts/roles.ts";
import { findPlace } from "../users/rows.ts";
import { periodOf, periodsAt, type Periods } from "./periods.ts";
import { readOpen, type Sharers } from "./reservation-rows.ts";
import * as rows from "./rows.ts";

/** Who asks a model. */
export type Asker = { userId: string; workspaceId: string; appId: string };

/** A budget that applies to somebody, and how it is shown to them. */
type Applied = { sharers: Sharers; limits: BudgetLimits; shown: Pick<BudgetLeft, "group" | "of_guests"> };

/** What an answer, or a number of answers together, is expected to use. */
export type Estimate = { tokens: number; costMicros: number };

/** How much of models people may use. */
export type Budgets = ReturnType<typeof createBudgets>;

const pageLimit = 50;
const sweepBatch = 200;
/** The sums of a group with 10,000 members took up to 40 ms to add up, on a busy machine. */
const groupUseKeptMs = 5_000;
/** Up to this part of a budget, a kept sum decides: nobody uses the other half before it is read again. */
const keptPart = 0.5;
/** By then, a short answer has ended. */
const waitSeconds = 5;

export function createBudgets({ db, clock }: { db: Database; clock: Clock }) {
  const stored = readUntilChanged(db, rows.budgetsTopic, async () => await rows.readBudgets(db.read));

  /**
   * The budgets that apply to the person. Their own is the first that is set of: their own, that of their role, that of
   * everyone. Those of their groups apply besides, and to guests that of all guests, or of their app.
   */
  async function budgetsOf({ q }: Pick<Tx, "q">, all: rows.AllBudgets, asker: Asker): Promise<Applied[]> {
    const { limits, groupIds } = all;
    if (limits.size === 0) return [];
    const [{ user }, groups] = await Promise.all([
      findPlace(q, asker.userId, asker.workspaceId),
      groupIds.size === 0 ? [] : rows.readGroupsWithBudget(q, asker.userId),
    ]);
    const { userId, appId } = asker;
    const role: CommonBudget = user === undefined ? "app" : roleOf(user);
    const own = user === undefined ? undefined : limits.get(userId);
    const apply = (
      sharers: Sharers,
      of: BudgetLimits | undefined,
      { group = null, of_guests = false }: Partial<Applied["shown"]> = {},
    ): Applied[] => (of === undefined ? [] : [{ sharers, limits: of, shown: { group, of_guests } }]);
    const applied = own ?? limits.get(role) ?? limits.get("everyone");
    const visitedAppId = user?.app_id ?? null;
    const ofGuests = role === "guest" ? limits.get(visitedAppId ?? "guests") : undefined;
    return [
      ...apply({ kind: "person", userId, appId }, applied),
      ...apply({ kind: "guests", appId: visitedAppId }, ofGuests, { of_guests: true }),
      ...groups.flatMap(({ id, name }) =>
        apply({ kind: "group", groupId: id }, limits.get(id), { group: name }),
      ),
    ];
  }

  async function readUseOf(
    from: Pick<Tx, "engine" | "q">,
    { sharers }: Applied,
    periods: Periods,
    { isExact = false } = {},
  ): Promise<BudgetUse> {
    switch (sharers.kind) {
      case "person":
        return await rows.readUse(from.q, sharers, periods);
      case "guests":
        return await rows.readUseOfGuests(from.q, periods, sharers.appId);
      case "group":
        return await usageOfGroup(from, sharers.groupId, periods, isExact ? 0 : groupUseKeptMs);
    }
  }

  /** The limits that apply to the person, and what is used of them, the most used one first. */
  async function leftOf(
    from: Pick<Tx, "engine" | "q">,
    all: rows.AllBudgets,
    asker: Asker,
  ): Promise<BudgetLeft[]> {
    const periods = periodsAt(clock.now());
    const applied = await budgetsOf(from, all, asker);
    const left = await Promise.all(
      applied.map(async (each) => remainingOf(each, await readUseOf(from, each, periods), periods)),
    );
    return left.flat().toSorted((a, b) => b.used / b.amount - a.used / a.amount);
  }

  const keptUses = new Map<string, { readAtMs: number; day: string; use: BudgetUse }>();

  async function usageOfGroup(
    from: Pick<Tx, "engine" | "q">,
    id: string,
    periods: Periods,
    keptMs: number,
  ): Promise<BudgetUse> {
    const kept = keptUses.get(id);
    const nowMs = clock.now();
    if (kept?.day === periods.day.name && Math.abs(nowMs - kept.readAtMs) < keptMs) return kept.use;
    const use = (await rows.readUseOfGroups(from, [id], periods)).get(id) ?? rows.usageOf([], periods);
    keptUses.set(id, { readAtMs: nowMs, day: periods.day.name, use });
    return use;
  }

  const own = async (asker: Asker): Promise<BudgetLeft[]> =>
    await leftOf({ engine: db.engine, q: db.read }, await stored(), asker);

  function requireLeft(budgets: readonly BudgetLeft[]): void {
    const full = usedUp(budgets);
    if (full === undefined) return;
    const retryAfterSeconds = Math.ceil((Date.parse(full.until) - clock.now()) / 1000);
    throw new AppError("budget-used", { until: full.until, retryAfterSeconds });
  }

  /** What is left of a budget, and whether the estimate fits beside what its other users reserve. */
  async function readRoom(
    tx: Tx,
    applied: Applied,
    { tokens, costMicros }: Estimate,
    periods: Periods,
  ): Promise<{ left: BudgetLeft[]; fits: boolean }> {
    // Before the use: a run that ends in between counts twice rather than not at all.
    const open = await readOpen(tx, applied.sharers);
    const expected = (limit: BudgetLimit) =>
      isInTokens(limit) ? open.tokens + tokens : (open.costMicros + costMicros) / 1e6;
    const exceeds = ({ limit, used, amount }: BudgetLeft, part = 1) => used + expected(limit) > amount * part;
    const readLeft = async (isExact: boolean) =>
      remainingOf(applied, await readUseOf(tx, applied, periods, { isExact }), periods);
    const kept = await readLeft(false);
    const left = kept.some((each) => exceeds(each, keptPart)) ? await readLeft(true) : kept;
    // What costs nothing does not wait for money.
    const isFull = left.some((each) => exceeds(each) && (isInTokens(each.limit) || costMicros > 0));
    return { left, fits: open.count === 0 || !isFull };
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
    /** Throws `budget-used` if any limit that applies to the person is used up. Returns whether any applies. */
    async check(asker: Asker): Promise<boolean> {
      const left = await own(asker);
      requireLeft(left);
      return left.length > 0;
    },
    /**
     * In the transaction that stores the reservation that it returns, which no other one of the same budgets overtakes;
     * `undefined` if no budget applies. If nobody else reserves from these budgets, any estimate fits while there is
     * something left. Throws `budget-used`, and `budget-wait` if it fits only after others have ended.
     */
    async reserveIn(tx: Tx, asker: Asker, estimate: Estimate | undefined): Promise<Estimate | undefined> {
      if (estimate === undefined) return undefined;
      const applied = await budgetsOf(tx, await rows.readBudgets(tx.q), asker);
      const names = applied.map(({ sharers }) => `budget of ${Object.values(sharers).join(" ")}`);
      for (const name of names.toSorted()) await lockByName(tx, name);
      const periods = periodsAt(clock.now());
      const rooms: Awaited<ReturnType<typeof readRoom>>[] = [];
      for (const each of applied) rooms.push(await readRoom(tx, each, estimate, periods));
      requireLeft(rooms.flatMap(({ left }) => left));
      if (rooms.some(({ fits }) => !fits))
        throw new AppError("budget-wait", { retryAfterSeconds: waitSeconds });
      return applied.length === 0 ? undefined : estimate;
    },

    /** What applies to the person, the most used limit first. */
    own,

    /**
     * In the transaction in which people erase their own content: what they used of their budgets stays used, also by
     * requests that `erase` takes their name from.
     */
    async keepUse<T>(tx: Tx, who: Pick<Asker, "userId" | "appId">, erase: () => Promise<T>): Promise<T> {
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
      const after = await rowAt(query.after, async (id) => await rows.findOwnBudget(db.read, id));
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

async function findHolder(tx: Tx, id: string): Promise<"common" | "group" | "person"> {
  if (commonBudgets.some((common) => common === id)) return "common";
  const holder = await rows.lockHolder(tx, id);
  if (holder === undefined) throw new AppError("budget-not-found");
  return holder;
}

function remainingOf({ limits, shown }: Applied, use: BudgetUse, periods: Periods): BudgetLeft[] {
  return budgetLimits.flatMap((limit) => {
    const amount = limits[limit];
    const until = isoTime(periods[periodOf(limit)].endsAtMs);
    return amount === null ? [] : [{ limit, amount, used: use[limit], ...shown, until }];
  });
}

/** The limit that is used up and lasts longest. */
function usedUp(budgets: readonly BudgetLeft[]): BudgetLeft | undefined {
  const full = budgets.filter(({ used, amount }) => used >= amount);
  return full.toSorted((a, b) => b.until.localeCompare(a.until))[0];
}
