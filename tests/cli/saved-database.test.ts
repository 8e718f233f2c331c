import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { migrations } from "#storage/migrations/list.ts";
import type { Table } from "#storage/schema/table.ts";
import { tables } from "#storage/tables/tables.ts";
import { branchOf, sendAndWait } from "../support/clients/conversation.ts";
import { loadSaved, loadSavedFiles, save, savedDatabases } from "../support/data/saved-database.ts";
import { rowsOf } from "../support/data/whole-database.ts";
import { engines, freshDatabaseUrl } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import { emptyPlace, startTestServer } from "../support/servers/server.ts";

/**
 * Makes the database that later versions are tested with: the newest saved one, upgraded by this version, used by a server,
 * with rows in every table. At a release, SAVE_DATABASE=yes stores it: `docs/development.md`, *Add or change a table*.
 */
const isSaved = process.env.SAVE_DATABASE === "yes";
const newest = Object.keys(migrations).toSorted().at(-1)!;
const saved = (await readdir(savedDatabases)).toSorted();
const newestSaved = saved.at(-1)!;
const before = saved.findLast((version) => version < newest)!;

/** Whether no saved database has the table. It needs a row when the next one is saved. */
const isYoung = (name: string): boolean =>
  tables.some((table: Table & { name: string }) => table.name === name && (table.since ?? "") > newestSaved);

const anyApp = "(select min(id) from apps)";
const now = "1790000000000";

/** A row for each table that the saved database does not have yet, or that the server below empties. */
const rows: Record<string, string> = {
  web_search: `(id, service, is_private, updated_at) values ('server', 'brave', 0, ${now})`,
  web_search_secrets: `(id, ciphertext, key_id) values ('server', 'AA==', 'old')`,
  release_checks: `(id, is_on, looked_at, newest_version) values ('server', 0, ${now}, '0.1.0')`,
  app_retention: `(app_id, rules, emptied_until) values (${anyApp}, '{"keep_threads_days":null,"keep_span_texts_days":30,"keep_steps_days":30}', 0)`,
  budget_reservations: `(id, app_id, workspace_id, user_id, tokens, cost_micros, lease_owner, lease_expires_at)
    values ('res_0saved', ${anyApp}, 'wsp_0ben', 'usr_0ben', 100, 5, 'gone', 4102444800000)`,
  run_steps: `(run_id, item, thread_id, content, created_at)
    select id, 'reply', thread_id, '{"parts":[]}', created_at from runs where thread_id is not null and state = 'completed' limit 1`,
  prepared_people: `(user_id, created_at) select user_id, ${now} from sessions limit 1`,
  webhooks: `(id, app_id, url, events, off_reason, created_at)
    values ('hook_0saved', ${anyApp}, 'https://shop.example.com/hook', '["run.ended"]', 'person', ${now})`,
  webhook_secrets: `(id, webhook_id, ciphertext, key_id, created_at) values ('whs_0saved', 'hook_0saved', 'AA==', 'old', ${now})`,
  webhook_deliveries: `(webhook_id, event_id, type, data, created_at, due_at, state, attempts)
    values ('hook_0saved', 'evt_0saved', 'run.ended', '{}', ${now}, ${now}, 'delivered', 1)`,
  alert_rules: `(id, app_id, kind, threshold, window_minutes, language, is_on, changed_at, due_at, created_at)
    values ('alr_0saved', ${anyApp}, 'latency', 5, 10, 'en', 0, ${now}, ${now}, ${now})`,
};

describe.for(engines)("the database that later versions are tested with (%s)", (engine) => {
  test("has rows in every table, of this version too", { timeout: 60_000 }, async () => {
    const place = await emptyPlace(engine);
    onTestFinished(place.remove);
    await loadSaved(before, engine, place);
    await loadSavedFiles(before, place);
    const server = await startTestServer({ engine, place, model: true });
    const ada = server.inWorkspace("org_ada");
    const { threads } = await ada.call("threads.list");
    const garden = threads.find(({ title }) => title === "The garden")!;
    const [last] = await branchOf(ada, garden.id);
    const below = { thread_id: garden.id, parent_id: last!.id };
    const { reply } = await sendAndWait(ada, `The beans of ${newest}. tokens=2`, below);
    expect(reply.end?.state).toBe("completed");
    await server.close();

    const empty = async (): Promise<string[]> =>
      Object.entries(await rowsOf(place, engine)).flatMap(([name, found]) =>
        found.length === 0 ? [name] : [],
      );
    await rawSql(place, async (run) => {
      for (const name of Object.keys(rows))
        if ((await run(`select 1 from ${name} limit 1`)).length === 0)
          await run(`insert into ${name} ${rows[name]!}`);
    });
    const needed = (await empty()).filter((name) => isSaved || !isYoung(name));
    expect(needed, "Add a row for each of these tables to this file.").toEqual([]);
    expect(await runCommand(place, ["doctor"])).toMatchObject({ code: 0 });

    if (!isSaved) return;
    await save(place, engine, newest);
    if (engine === "postgres") await recordSession();
  });
});

/** Stores how a server of this version uses the database. */
async function recordSession(): Promise<void> {
  const { url, drop } = await freshDatabaseUrl();
  onTestFinished(drop);
  const program = join(import.meta.dirname, "../support/postgres/record-session.ts");
  const { PATH } = process.env;
  await promisify(execFile)(process.execPath, [program, join(savedDatabases, newest)], {
    env: { PATH, DATABASE_URL: url },
  });
}
