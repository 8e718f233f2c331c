import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sql } from "#storage/database/sql.ts";
import { migrations } from "#storage/migrations/list.ts";
import { rollBack, upgradeCopies } from "#storage/rollback/rollback.ts";
import { addMigration } from "#storage/testing/migrations.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { rowsOf } from "../support/data/whole-database.ts";
import { copyingEngines, engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { runCommand } from "../support/servers/cli.ts";
import type { EngineName, ServerPlace, TestServer } from "../support/servers/server.ts";
import { placeForTest, serverForTest } from "../support/test-scope.ts";

const later = "9999-later";

/** A database that a later version has migrated, with a chat from before and one from after. */
async function upgradedPlace(engine: EngineName): Promise<ServerPlace> {
  const place = await placeForTest(engine);
  const first = await serverForTest({ engine, place, model: true });
  await addChat(first, "A bed of beans");
  await first.close();
  addMigration(later, async (q) => {
    await sql`alter table threads add column color text default 'red'`.execute(q);
  });
  const second = await serverForTest({ engine, place, model: true });
  await addChat(second, "A pond");
  const refused = await runCommand(place, ["rollback", "--yes"]);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/another parlance is using|in use by a server/i),
  ]);
  await second.close();
  return place;
}

async function addChat(server: TestServer, title: string): Promise<void> {
  const ada = server.inWorkspace("org_ada");
  const { thread_id } = await sendAndWait(ada, "What grows here? tokens=2");
  await ada.call("threads.update", { params: { thread_id }, body: { title } });
}

async function titles(place: ServerPlace, engine: EngineName): Promise<string[]> {
  const server = await serverForTest({ engine, place });
  const { threads } = await server.inWorkspace("org_ada").call("threads.list");
  await server.close();
  return threads.map(({ title }) => title!).toSorted();
}

describe.for(copyingEngines)("going back after an upgrade (%s)", (engine) => {
  test("brings the database of before, says what was added since, and keeps the newer one", async () => {
    const place = await upgradedPlace(engine);
    const upgraded = await rowsOf(place, engine);
    const asked = await runCommand(place, ["rollback"]);
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining("--yes")]);
    expect(await rowsOf(place, engine)).toEqual(upgraded);
    // Left by one that was killed.
    if (engine === "sqlite") await writeFile(join(place.dataDir, "parlance.db.restoring"), "half");

    const { code, out, err } = await runCommand(place, ["rollback", "--yes"]);
    expect(code, err).toBe(0);
    expect(err).toContain("these were added, and are not in it: 1 chat, 2 messages, 0 files, 0 people.");
    const [, keptAs = ""] = /newer database is kept as (\S+)\.\n/.exec(out)!;
    // This program would upgrade it again.
    expect(out).toContain("would upgrade the database again");

    const migrateLater = migrations[later]!;
    delete migrations[later];
    expect(await titles(place, engine)).toEqual(["A bed of beans"]);
    const audit = (await rowsOf(place, engine)).audit_entries!.filter((row) =>
      row.includes("backup-restored"),
    );
    expect(audit).toEqual([expect.stringContaining(".before-")]);

    migrations[later] = migrateLater;
    let kept = place;
    if (engine === "sqlite") {
      kept = await placeForTest(engine);
      await writeFile(join(kept.dataDir, "parlance.db"), await readFile(keptAs));
    } else {
      const url = new URL(place.databaseUrl!);
      url.searchParams.set("options", `-csearch_path=${keptAs}`);
      kept = { ...place, databaseUrl: url.href };
    }
    expect(await titles(kept, engine)).toEqual(["A bed of beans", "A pond"]);
  });

  test("changes nothing if the copy is cut or the program is killed", async () => {
    const place = await upgradedPlace(engine);
    const upgraded = await rowsOf(place, engine);
    const where = { dataDir: place.dataDir, databaseUrl: place.databaseUrl };
    const [copy] = upgradeCopies(where);
    const killed = rollBack(where, {
      copy: copy!,
      auditEntry: { id: "aud_0", at: 1, action: "backup-restored", actor: "operator" },
      async confirm() {
        if (engine === "sqlite") throw new Error("killed");
        await rawSql(place, (run) =>
          run(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'psql' and datname = current_database()",
          ),
        );
        return true;
      },
    });
    await expect(killed).rejects.toThrow();
    expect(await rowsOf(place, engine)).toEqual(upgraded);
    await truncate(copy!.path, Math.floor((await readFile(copy!.path)).length / 2));
    const cut = await runCommand(place, ["rollback", "--yes"]);
    expect([cut.code, cut.err]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
    expect(await rowsOf(place, engine)).toEqual(upgraded);
    expect((await readdir(place.dataDir)).filter((name) => name.includes("restoring"))).toEqual([]);
  });
});

describe.runIf(engines.includes("postgres"))("an upgrade on PostgreSQL without its programs", () => {
  test("is done and says that there is no copy, or is refused where a copy is required", async () => {
    const place = await placeForTest("postgres");
    addMigration(later, async (q) => {
      await sql`alter table threads add column color text`.execute(q);
    });
    vi.stubEnv("PATH", place.dataDir);
    onTestFinished(() => void vi.unstubAllEnvs());
    const refused = await runCommand(place, ["migrate"], { COPY_BEFORE_UPGRADE: "required" });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("no program pg_dump")]);
    const server = await serverForTest({ engine: "postgres", place });
    expect(server.log.text()).toContain("upgraded without a copy. There is no program pg_dump on the PATH.");
    await server.close();
  });
});
