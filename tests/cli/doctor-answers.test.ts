import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { runCommand } from "../support/servers/cli.ts";
import { editDatabase, examine } from "../support/servers/doctor.ts";
import { engines } from "../support/postgres/postgres.ts";
import { newPlace, startTestServer, type ServerPlace } from "../support/servers/server.ts";
import {
  branchOf,
  sendAndGetCall,
  sendAndWait,
  readWholeLog,
  type StartedRun,
} from "../support/clients/conversation.ts";

const asking = 'Write. tool=send_letter({"to":"Ann"})';

describe.each(engines)("the doctor on answers and their logs (%s)", (engine) => {
  let where: ServerPlace;
  let ended: StartedRun;
  let failed: StartedRun;
  let waiting: StartedRun;
  const started = async () =>
    await startTestServer({ engine, place: where, model: true, tools: approvalTools() });
  const topic = ({ run_id: runId }: StartedRun): string => `topic = 'run:${runId}'`;

  beforeAll(async () => {
    where = await newPlace(engine);
    const server = await started();
    const ada = server.inWorkspace("org_ada");
    ended = await sendAndWait(ada, "One. tokens=3");
    failed = await sendAndWait(ada, "Breaks off. tokens=5 die=2");
    waiting = await sendAndGetCall(ada, asking);
    await server.close();
    await server.model.close();
  });
  afterAll(async () => await where.remove());

  type Broken = { check: string; break: string[]; names: string; fixed: boolean; undo?: string[] };
  const cases: [string, () => Broken][] = [
    [
      "a waiting run whose reply is finished",
      () => ({
        check: "runs",
        break: [`update messages set status = 'complete' where id = '${waiting.reply_id}'`],
        names: waiting.run_id,
        fixed: false,
        undo: [`update messages set status = 'requires-action' where id = '${waiting.reply_id}'`],
      }),
    ],
    [
      "a waiting run whose reply is gone",
      () => ({
        check: "runs",
        break: [`update runs set reply_id = 'msg_nowhere' where id = '${waiting.run_id}'`],
        names: waiting.run_id,
        fixed: false,
        undo: [`update runs set reply_id = '${waiting.reply_id}' where id = '${waiting.run_id}'`],
      }),
    ],
    [
      "a waiting run that is held",
      () => ({
        check: "leases",
        break: [`update runs set lease_owner = 'x', lease_expires_at = 1 where id = '${waiting.run_id}'`],
        names: waiting.run_id,
        fixed: true,
      }),
    ],
    [
      "an answer that has ended for all but its followers",
      () => ({
        check: "logs",
        break: [
          `delete from log_entries where ${topic(ended)} and body like '{"type":"run-end"%'`,
          `update log_topics set last_seq = last_seq - 1 where ${topic(ended)}`,
          `delete from log_entries where ${topic(failed)} and body like '{"type":"run-end"%'`,
          `update log_topics set last_seq = last_seq - 1 where ${topic(failed)}`,
        ],
        names: ended.run_id,
        fixed: true,
      }),
    ],
    [
      "a reply that is not what its log says",
      () => ({
        check: "replies",
        break: [
          `update messages set error_code = content, content = '{"content":[]}' where id = '${ended.reply_id}'`,
        ],
        names: ended.reply_id,
        fixed: false,
        undo: [`update messages set content = error_code, error_code = null where id = '${ended.reply_id}'`],
      }),
    ],
    [
      "a waiting run whose log is gone",
      () => ({
        check: "runs",
        break: [
          `delete from log_entries where ${topic(waiting)}`,
          `delete from log_topics where ${topic(waiting)}`,
        ],
        names: waiting.run_id,
        fixed: true,
      }),
    ],
  ];

  test.for(cases)("reports %s, and repairs it if nothing is lost", async ([, broken]) => {
    const { check, break: broke, names, fixed, undo = [] } = broken();
    expect(await examine(where)).toMatchObject({ code: 0, faults: [] });
    await editDatabase(engine, where, broke);
    const { code, faults } = await examine(where);
    expect(code).toBe(1);
    expect(faults).toMatchObject([{ check, ids: expect.arrayContaining([names]) as string[] }]);
    expect((await runCommand(where, ["doctor", "--repair"])).code).toBe(fixed ? 0 : 1);
    await editDatabase(engine, where, undo);
    expect(await examine(where)).toMatchObject({ code: 0, faults: [], notes: [] });
  });

  test("leaves answers that servers end, with their whole text", async () => {
    const server = await started();
    const ada = server.inWorkspace("org_ada");
    expect((await readWholeLog(ada, ended.run_id)).at(-1)).toMatchObject({
      type: "run-end",
      state: "completed",
      finish_reason: "stop",
      usage: { output: expect.any(Number) as number },
    });
    expect((await readWholeLog(ada, failed.run_id)).at(-1)).toMatchObject({
      type: "run-end",
      state: "failed",
      error: { code: expect.any(String) as string },
    });
    expect((await readWholeLog(ada, waiting.run_id)).at(-1)).toMatchObject({
      type: "run-end",
      state: "cancelled",
    });
    const reply = (await branchOf(ada, waiting.thread_id)).at(-1)!;
    expect(reply.status.type).toBe("incomplete");
    expect(reply.content.content).toMatchObject([{ toolName: "send_letter", args: { to: "Ann" } }]);
    await server.close();
    await server.model.close();
    expect(await examine(where)).toMatchObject({ code: 0, faults: [], notes: [] });
  });
});
