import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { tables } from "#storage/tables/tables.ts";
import { ownNouns, putExample } from "./endpoints/own-nouns.ts";
import { ownedObjectsWithQueued, ownedObjectsWithSummary } from "./endpoints/owned-objects.ts";
import { idOf, shareWith } from "./shares/sharing.ts";
import { createOwner, join } from "./support/clients/browser.ts";
import { below, sendAndWait, startRun, type StartedRun } from "./support/clients/conversation.ts";
import { keyHeaders, visitor, type Visitor } from "./support/clients/visitor.ts";
import { exportOf, newTraceId } from "./support/data/traces.ts";
import { rawSql } from "./support/postgres/raw-sql.ts";
import { describeServer } from "./support/servers/server.ts";

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

/** They name what was deleted, because usage stays, and because other tabs, the blob store and backends hear of it. */
const namesOfDeleted = ["runs", "model_requests", "log_entries", "blob_removals", "webhook_deliveries"];

/** Who erases only their content keeps these. */
const tablesOfAccounts = wordsOf(
  "users workspaces sessions passwords profiles personal_keys invitations thread_members usage_sums",
);

/** Tables of the server and its ways to sign in, and what is rebuilt. */
const ofNobody = wordsOf(`
  apps app_retention webhooks webhook_secrets alert_rules api_keys jwt_rules assistants traces user_groups access_settings auth_settings release_checks mail_settings mail_secrets web_search web_search_secrets
  installations backup_settings backup_secrets backup_state
  failed_attempts audit_entries model_providers model_provider_keys model_settings sign_in_providers
  sign_in_provider_secrets blob_removals list_bookmarks search_documents search_file_documents search_pending
`);
/** Foreign keys delete these rows, with a user or with what they are about. */
const deletedByKeys = wordsOf(`
  account_tokens identities sign_in_flows proxy_identities passkeys passkey_challenges second_factors
  second_factor_secrets recovery_codes join_requests user_group_members budgets budget_reservations
  tool_server_secrets tool_server_flows client_leases gone_messages prepared_people rendered_messages file_claims file_texts unread_files
`);

type Rows = Record<string, Record<string, unknown>[]>;

describeServer("erasing somebody", { model: true }, (server) => {
  const allRows = async (): Promise<Rows> =>
    await rawSql(server().place, async (run) => {
      const rows: Rows = {};
      for (const { name } of tables) rows[name] = await run(`select * from ${name}`);
      return rows;
    });

  /** Uses what everybody has, in a thread of their own and in one of somebody else. `word` is in all that they write. */
  async function use(who: Visitor, word: string, theirs: StartedRun): Promise<void> {
    const own = await sendAndWait(who, `${word} alone tokens=3`);
    const shared = await sendAndWait(who, `${word} with others tool=calculate("1+1")`, below(theirs));
    for (const { thread_id, reply_id } of [own, shared]) {
      const params = { thread_id };
      await rawSql(server().place, async (run) =>
        run(`insert into reply_steps values ('${reply_id}', 0, '[{"type":"text","text":"${word}"}]')`),
      );
      await who.call("messages.feedback", {
        params: { thread_id, message_id: reply_id },
        body: { type: "positive", comment: word },
      });
      await who.call("events.add", {
        body: { events: [{ kind: "message_sent", thread_id, props: { of: word } }] },
      });
      await who.call("threads.setPanel", { params, body: { panel: { key: `source:${word}`, top: 0 } } });
      const to = { thread_id, parent_id: reply_id };
      const writing = await startRun(who, `${word} goes on\nendless gap=10`, to);
      await startRun(who, `${word} then tokens=2`, below({ ...writing, thread_id }));
    }
    const dueAt = server().clock.now() + 600_000;
    const jobOf = `'title ${word}', 'title', 'null', ${dueAt}, 0, '${await idOf(who)}'`;
    await rawSql(server().place, async (run) =>
      run(`insert into jobs (id, kind, payload, due_at, attempts, user_id) values (${jobOf})`),
    );
    await ownedObjectsWithSummary(who);
    await ownedObjectsWithQueued(who);
    const label_id = newId("label");
    await who.call("labels.put", { params: { label_id }, body: { kind: "tag", name: word } });
    await who.call("threads.update", { params: { thread_id: own.thread_id }, body: { tag_ids: [label_id] } });
  }

  /** What only people of this server have. Returns the ids of what they keep: one of each noun. */
  async function useAccount(who: Visitor, word: string): Promise<string[]> {
    const kept: string[] = [];
    for (const noun of ownNouns) kept.push(await putExample(who, noun));
    await who.call("personalInstructions.put", { body: { instructions: word } });
    await who.call("profile.update", { body: { language: "de" } });
    await who.call("toolRules.put", { body: { source: "built-in", tool: "date", rule: "ask" } });
    await who.call("keys.create", { body: { name: word } });
    const added = await who.call("toolServers.create", {
      body: { name: word, url: "https://mcp.example.com/mcp", is_on: false },
    });
    kept.push(added.server.id);
    const [server_id, user_id] = [added.server.id, await idOf(who)];
    await rawSql(server().place, async (run) => {
      await run(`insert into tool_server_lists values ('${server_id}', '${user_id}', '["${word}"]', 0)`);
      await run(
        `insert into tool_server_sign_ins (server_id, user_id, ciphertext, key_id, version, created_at) values ('${server_id}', '${user_id}', '${word}', '', 1, 0)`,
      );
    });
    const own = await sendAndWait(who, `${word} to share tokens=3`);
    const params = { thread_id: own.thread_id, message_id: own.reply_id };
    await who.call("suggestions.get", { params });
    await who.call("shares.create", { body: { thread_id: own.thread_id } });
    const message = { parent_id: null, content: userMessage(`${word} tokens=2`) };
    const models = ["env/fixture-1", "env/fixture-2"];
    await who.call("comparisons.start", {
      params: { thread_id: newId("thread") },
      body: { message, models },
    });
    return kept;
  }

  /** What still has one of these names or the id of something that was deleted. Adds the tables whose rows changed. */
  async function leftAfter(
    { names, changed }: { names: string[]; changed: Set<string> },
    erase: () => Promise<unknown>,
  ): Promise<string[]> {
    const before = await allRows();
    await erase();
    const after = await allRows();
    for (const [table, rows] of Object.entries(before)) {
      const left = new Set(after[table]!.map((row) => JSON.stringify(row)));
      if (rows.some((row) => !left.has(JSON.stringify(row)))) changed.add(table);
    }
    const idsIn = (rows: Rows) => Object.values(rows).flatMap((each) => each.map(({ id }) => String(id)));
    const ids = new Set(idsIn(after));
    const deleted = idsIn(before).filter((id) => !ids.has(id));
    const found = Object.entries(after).flatMap(([table, rows]) => {
      const erased = [...names, ...(namesOfDeleted.includes(table) ? [] : deleted)];
      return rows.flatMap((row) =>
        Object.entries(row)
          .filter(([, value]) => erased.some((name) => String(value).includes(name)))
          .map(([column]) => `${table}.${column}`),
      );
    });
    // The audit log outlives the people that it is about.
    return [...new Set(found)].filter((column) => !column.startsWith("audit_entries."));
  }

  test(
    "leaves nothing that they wrote, and no row that names them or what was theirs",
    { timeout: 60_000 },
    async () => {
      const owner = await createOwner(server());
      await owner.call("modelSettings.put", {
        body: { small_model: null, titles: true, summaries: true, suggestions: true, local_only: false },
      });
      const changed = new Set<string>();
      const { member, ...settings } = await owner.call("accessSettings.get");
      member.permissions.push("tool-servers.add");
      await owner.call("accessSettings.put", { body: { ...settings, member } });

      const ben = await join(owner, { email: "ben@example.com" });
      const ada = await join(owner, { email: "ada@example.com" });
      const person_id = await idOf(ada);
      const bens = await sendAndWait(ben, "Ben asks tokens=2");
      await shareWith(ben, bens.thread_id, ada);
      await use(ada, "Larch", bens);
      const kept = await useAccount(ada, "Larch");
      const { reply_id } = await sendAndWait(ada, "Larch tokens=3", below(bens));
      await ben.call("suggestions.get", { params: { thread_id: bens.thread_id, message_id: reply_id } });
      const adas = { names: [person_id, "Larch", ...kept], changed };
      const ofContent = await leftAfter(adas, async () => await ada.call("erasure.everything"));
      expect(ofContent.filter((column) => !tablesOfAccounts.includes(column.split(".")[0]!))).toEqual([]);

      adas.names.push(...(await useAccount(ada, "Larch")));
      const remove = async () => await owner.call("people.remove", { params: { person_id } });
      expect(await leftAfter(adas, remove)).toEqual([]);

      const [fay, gus] = ["fay", "gus"].map((name) =>
        visitor(
          server().url,
          name,
          keyHeaders(apiKey, { userId: `user_${name}`, workspaceId: "org_erased" }),
        ),
      ) as [Visitor, Visitor];
      const { apps } = await owner.call("console.apps");
      for (const { id: app_id } of apps) {
        await owner.call("console.putRetention", {
          params: { app_id },
          body: { keep_threads_days: null, keep_span_texts_days: null, keep_steps_days: 30 },
        });
        await owner.call("webhooks.create", {
          params: { app_id },
          body: {
            url: "https://shop.example.com/hook",
            events: ["run.ended", "thread.created", "feedback.given"],
          },
        });
      }
      const guss = await sendAndWait(gus, "Gus asks tokens=2");
      const { thread_id } = guss;
      await use(fay, "Juniper", guss);
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": thread_id,
        of: "Juniper",
      };
      await fay.call("traces.add", { body: exportOf([{ traceId: newTraceId(), attributes }]) });
      await fay.call("runs.report", { body: { thread_id, status: "completed", output_text: "Juniper" } });
      const fays = { names: ["user_fay", "Juniper"], changed };
      const eraseUser = async () => await gus.call("apps.eraseUser", { params: { user_id: "user_fay" } });
      // The label belongs to the workspace, and so to everybody in it.
      expect(await leftAfter(fays, eraseUser)).toEqual(["labels.name"]);

      // Somebody must have a row in every other table, so that this test sees whether it is erased.
      for (const name of [...ofNobody, ...deletedByKeys]) changed.add(name);
      expect(tables.filter(({ name }) => !changed.has(name))).toEqual([]);
    },
  );
});
