import { allows } from "#contract/accounts/permissions.ts";
import type { BodyOf } from "#contract/api.ts";
import type { ModelSettings } from "#contract/endpoints/models.ts";
import { limits } from "#contract/limits.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { readUntilChanged } from "#storage/database/read-until-changed.ts";
import type { Config } from "#server/settings/settings.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";

/** A task that a small model can do. */
export type SmallTask = "title" | "summary" | "suggestions";

/** The settings for all models. Each process keeps a copy until somebody changes it. */
export type ModelSettingsStore = ReturnType<typeof createModelSettings>;

/** Published when the settings change. */
const changedTopic = "model-settings";

const defaults: ModelSettings = {
  small_model: null,
  titles: true,
  summaries: true,
  suggestions: false,
  local_only: false,
  steps_max: limits.runSteps,
};

const defaultColumns = { small_model: null, titles: 1, summaries: 1, suggestions: 0, local_only: 0 };

/** The operator's `localOnly` and `summaryModel` override these settings. */
export function createModelSettings({
  db,
  clock,
  localOnly,
  summaryModel,
}: { db: Database; clock: Clock } & Pick<Config, "localOnly" | "summaryModel">) {
  async function read(q: Tx["q"] = db.read): Promise<ModelSettings> {
    const row = await q.selectFrom("model_settings").selectAll().executeTakeFirst();
    if (row === undefined) return defaults;
    return {
      small_model: row.small_model,
      titles: row.titles === 1,
      summaries: row.summaries === 1,
      suggestions: row.suggestions === 1,
      local_only: row.local_only === 1,
      steps_max: row.steps_max ?? limits.runSteps,
    };
  }

  const get = readUntilChanged(db, changedTopic, async () => await read());

  return {
    /** What administrators chose, whatever the operator requires. */
    get,
    /**
     * Changes what is given. Throws `not-allowed` if another role than the owner's would change whether models must be
     * local. `address` is the visitor's network address, for the audit log.
     */
    async put(
      { role, userId }: Visitor,
      change: BodyOf<"modelSettings.put">,
      address: string,
    ): Promise<void> {
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const now = await read(tx.q);
        const mayRestrict = allows(role, "models.restrict");
        if ((change.local_only ?? now.local_only) !== now.local_only && !mayRestrict)
          throw new AppError("not-allowed");
        // Only what is changed, so that nothing is taken back that another transaction changes meanwhile.
        const changed = {
          ...(change.small_model === undefined ? {} : { small_model: change.small_model }),
          ...(change.titles === undefined ? {} : { titles: change.titles ? 1 : 0 }),
          ...(change.summaries === undefined ? {} : { summaries: change.summaries ? 1 : 0 }),
          ...(change.suggestions === undefined ? {} : { suggestions: change.suggestions ? 1 : 0 }),
          ...(change.local_only === undefined || !mayRestrict
            ? {}
            : { local_only: change.local_only ? 1 : 0 }),
          ...(change.steps_max === undefined ? {} : { steps_max: change.steps_max }),
          updated_at: nowMs,
        } satisfies Partial<Row<"model_settings">>;
        await tx.q
          .insertInto("model_settings")
          .values({ id: "server", ...defaultColumns, ...changed })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(changed))
          .execute();
        tx.publishOnCommit.add(changedTopic);
        const actor = { id: userId, address };
        await recordAudit(tx, { action: "model-settings-changed", actor, details: await read(tx.q) }, nowMs);
      });
    },
    fromEnvironment: { local_only: localOnly, summary_model: summaryModel ?? null },
    /** Whether all models must be in the operator's own network. */
    isLocalOnly: async (): Promise<boolean> => localOnly || (await get()).local_only,
    /** How many requests to its model an answer may take. */
    stepsMax: async (): Promise<number> => (await get()).steps_max,
    /** Whether models do this task automatically. */
    async isOn(task: SmallTask): Promise<boolean> {
      if (task === "summary" && summaryModel !== undefined) return summaryModel !== "off";
      const settings = await get();
      return { title: settings.titles, summary: settings.summaries, suggestions: settings.suggestions }[task];
    },
    /** The id of the model for this task; `undefined` for the one that answers. */
    async modelFor(task: SmallTask): Promise<string | undefined> {
      if (task === "summary" && summaryModel !== undefined && summaryModel !== "off") return summaryModel;
      return (await get()).small_model ?? undefined;
    },
  };
}
