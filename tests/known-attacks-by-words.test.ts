import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { fold } from "#contract/fold.ts";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { describeServer, test } from "./support/servers/server.ts";
import { branchOf, sendAndWait, readWholeLog } from "./support/clients/conversation.ts";

/** Vulnerabilities of other chat assistants, each with the number under which it was published. */

describeServer("injection of commands and SQL", { model: true }, (server) => {
  /** The file that each command would create. */
  const sign = join(tmpdir(), `parlance-attack-${process.pid}`);
  const command = { command: "/bin/sh", args: ["-c", `touch ${sign}`], transport: "stdio" };

  test("CVE-2026-22252: a tool server that is a command is not started", async ({ ada, eve }) => {
    const mcp = { mcpServers: { evil: command }, tools: ["evil"], ...command };
    for (const who of [ada, eve, await server().owner()]) {
      const rpc = { jsonrpc: "2.0", id: 1, method: "initialize", params: mcp };
      for (const path of ["/v1/mcp", "/v1/tools", "/v1/mcp/servers"]) {
        const answer = await who.send("POST", path, {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(rpc),
        });
        expect(answer.status, `${who.name} ${path}`).toBeGreaterThanOrEqual(400);
      }
      const talk = await who.call("runs.start", {
        params: { thread_id: newId("thread") },
        body: { ...mcp, message: { parent_id: null, content: userMessage("tool=evil({}) tokens=1") } },
      });
      const made = fold(await readWholeLog(who, talk.run_id)).parts.find(({ type }) => type === "tool-call");
      expect(made).toMatchObject({ toolName: "evil", isError: true });
    }
    expect(existsSync(sign)).toBe(false);
  });

  test("CVE-2026-48116: words of a search are not options of a program", async ({ ada }) => {
    const words = `--pre=/bin/sh -c 'touch ${sign}' $(touch ${sign}) \`touch ${sign}\``;
    const said = await sendAndWait(ada, `Remember: ${words} tokens=1`);
    const { hits } = await ada.call("search.find", { query: { q: '"--pre=/bin/sh" touch' } });
    expect(hits.map(({ thread_id }) => thread_id)).toContain(said.thread_id);
    for (const q of [words, "--pre=/bin/sh", "-e x --pre=sh", "; touch x", "| sh", "> /tmp/x"])
      expect((await ada.ask("search.find", { query: { q } })).status, q).toBeLessThan(500);
    for (const query of [words, "--pre sh"])
      await sendAndWait(ada, `Look: tool=search_threads(${JSON.stringify({ query })})`);
    await sendAndWait(
      ada,
      `Reckon: tool=calculate(${JSON.stringify(`process.mainModule.require("fs").writeFileSync("${sign}","")`)})`,
    );
    expect(existsSync(sign)).toBe(false);
  });

  test("CVE-2026-32628: texts are not executed as SQL", async ({ ada, eve }) => {
    const { thread_id, message_id, run_id } = await sendAndWait(ada, "A secret tokens=2");
    await sendAndWait(eve, "Mine tokens=1");
    for (const sql of [
      "' OR '1'='1",
      "' OR 1=1 --",
      '" OR ""="',
      "x'; DROP TABLE threads; --",
      "') UNION SELECT content FROM messages --",
      "secret' OR workspace_id <> '",
      "NEAR(secret x) OR *",
      "$1 ? :a @b %s \\' %' _",
    ]) {
      const path = encodeURIComponent(sql);
      const answers = [
        await eve.ask("search.find", { query: { q: sql } }),
        await eve.ask("search.find", { query: { q: `in:"${sql}" before:${sql}` } }),
        await eve.ask("files.list", { query: { q: sql } }),
        await eve.ask("files.list", { query: { sort: sql } }),
        await eve.ask("files.list", { query: { thread_id: sql, after: sql } }),
        await eve.ask("threads.list", { query: { after: sql } }),
        await eve.send("GET", `/v1/threads/${path}`),
        await eve.send("GET", `/v1/threads/${path}/messages?after=${path}&format=${path}`),
        await eve.send("GET", `/v1/runs/${path}/events?after=${path}`),
        await eve.send("GET", `/v1/files/${path}/content`),
        await eve.send("GET", `/v1/content/${path}/${path}`),
        await eve.send("GET", `/v1/projects/threads?after=${path}&user_id=${path}&workspace_id=${path}`),
        await eve.ask("threads.update", { params: { thread_id: sql }, body: { title: sql } }),
      ];
      for (const { status, text } of answers) {
        expect(status, `${sql}: ${text}`).toBeLessThan(500);
        for (const hers of [thread_id, message_id, run_id, "A secret"]) expect(text, sql).not.toContain(hers);
      }
      const { thread_id: own } = await eve.call("threads.create", {
        body: { last_message_at: new Date().toISOString(), title: sql, external_id: sql },
      });
      expect((await eve.call("threads.get", { params: { thread_id: own } })).thread.title).toBe(sql);
    }
    expect(await branchOf(ada, thread_id)).toHaveLength(2);
  });
});
