import { beforeEach, expect } from "vitest";
import { fold } from "#contract/fold.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, startTestServer } from "../support/servers/server.ts";
import {
  answerCall,
  sendAndGetCall,
  sendAndWait,
  readWholeLog,
  type StartedRun,
} from "../support/clients/conversation.ts";
import { bearer, newAddress, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";

const executed: string[] = [];
beforeEach(() => void executed.splice(0));
const tools = approvalTools((name, args) => executed.push(`${name} ${JSON.stringify(args)}`));
const letter = (to: string): string => `Write. tool=send_letter({"to":"${to}"})`;

const allowedIn = async (who: Visitor, { thread_id }: StartedRun): Promise<string[]> =>
  (await who.call("threads.get", { params: { thread_id } })).thread.allowed_tools;

const askAgain = async (who: Visitor, { thread_id }: StartedRun, toolName: string) =>
  await who.ask("threads.askAgain", { params: { thread_id, tool_name: toolName } });

const below = ({ thread_id, reply_id }: StartedRun) => ({ thread_id, parent_id: reply_id });

describeServer("a tool that is always allowed in a thread", { model: true, tools }, (server) => {
  test("needs no approval there, but does in other threads", async () => {
    const ada = await server().anonymous();
    const feed = await ada.live();
    await feed.next();
    const first = await sendAndGetCall(ada, letter("Ann"));
    expect(await allowedIn(ada, first)).toEqual([]);
    await answerCall(ada, first.run_id, true, { remember: "chat" });
    expect(fold(await readWholeLog(ada, first.run_id)).end?.state).toBe("completed");
    expect(await allowedIn(ada, first)).toEqual(["send_letter"]);
    await feed.until(
      ({ data }) =>
        data.type === "change" &&
        data.change.type === "thread-put" &&
        data.change.thread.allowed_tools[0] === "send_letter",
    );
    feed.close();

    const second = await sendAndWait(ada, letter("Ben"), below(first));
    expect(second.reply.parts[0]).toMatchObject({ result: { sent: "Ben" } });
    expect(executed).toEqual(['send_letter {"to":"Ann"}', 'send_letter {"to":"Ben"}']);
    const other = await sendAndGetCall(ada, "Tidy. tool=delete_files({})", below(second));
    expect(fold(other.events).parts).toMatchObject([{ approval: { id: "call_0_0" } }]);
    expect((await sendAndGetCall(ada, letter("Cora"))).events.at(-1)).toMatchObject({ type: "run-wait" });
    expect(executed).toHaveLength(2);
  });

  test("needs approval again after the permission is withdrawn, even during an answer", async () => {
    const ada = await server().anonymous();
    const first = await sendAndGetCall(ada, letter("Ann"));
    await answerCall(ada, first.run_id, true, { remember: "chat" });
    await readWholeLog(ada, first.run_id);
    const both = await sendAndGetCall(
      ada,
      `Write, then tidy. rounds=2 tool=send_letter({"to":"Ben"}) tool=delete_files({})`,
      below(first),
    );
    expect(executed).toHaveLength(2);
    expect((await askAgain(ada, first, "send_letter")).status).toBe(200);
    expect(await allowedIn(ada, first)).toEqual([]);
    await answerCall(ada, both.run_id, true, { tool_call_id: "call_0_1" });
    const stream = await ada.events(both.run_id, both.events.length);
    const next = await stream.until(({ data }) => data.type === "run-wait");
    stream.close();
    expect(next.filter(({ data }) => data.type === "tool-call-ask")).toHaveLength(2);
    expect(executed.filter((call) => call.startsWith("send_letter"))).toHaveLength(2);
    // A second withdrawal has no effect.
    expect((await askAgain(ada, first, "send_letter")).status).toBe(200);
  });

  test("is also approved in its other waiting calls, unlike other tools", async () => {
    const ada = await server().anonymous();
    const talk = await sendAndGetCall(
      ada,
      'Three. tool=send_letter({"to":"Eve"}) tool=send_letter({"to":"Fay"}) tool=delete_files({})',
    );
    await answerCall(ada, talk.run_id, true, { tool_call_id: "call_0_1", remember: "chat" });
    const { run } = await ada.call("runs.get", { params: { run_id: talk.run_id } });
    expect(run.state).toBe("requires-action");
    await answerCall(ada, talk.run_id, false, { tool_call_id: "call_0_2" });
    expect(fold(await readWholeLog(ada, talk.run_id)).parts).toMatchObject([
      { result: { sent: "Eve" } },
      { result: { sent: "Fay" } },
      { approval: { approved: false } },
      { type: "text" },
    ]);
    expect(executed).toHaveLength(2);
  });

  test("is stored for a repeated decision, but not for a late one", async () => {
    const ada = await server().anonymous();
    const first = await sendAndGetCall(ada, letter("Ann"));
    await answerCall(ada, first.run_id, true);
    expect((await answerCall(ada, first.run_id, true, { remember: "chat" })).status).toBe(200);
    expect(await allowedIn(ada, first)).toEqual(["send_letter"]);
    const second = await sendAndGetCall(ada, letter("Ben"));
    await answerCall(ada, second.run_id, false);
    expectProblem(await answerCall(ada, second.run_id, true, { remember: "chat" }), "call-answered");
    expect(await allowedIn(ada, second)).toEqual([]);
  });

  test("cannot be combined with a denial or be set in a shared workspace", async () => {
    const ada = await server().anonymous();
    const talk = await sendAndGetCall(ada, letter("Ann"));
    const no = await answerCall(ada, talk.run_id, false, { remember: "chat" });
    expectProblem(no, "bad-request");
    expect(no.text).toContain("body.remember");
    const key = server().inNewWorkspace();
    const shared = await sendAndGetCall(key, letter("Ben"));
    expectProblem(await answerCall(key, shared.run_id, true, { remember: "chat" }), "bad-request");
    expect(await allowedIn(key, shared)).toEqual([]);
    expect(executed).toEqual([]);
    const stranger = await server().anonymous();
    expectProblem(await answerCall(stranger, talk.run_id, true, { remember: "chat" }), "run-not-found");
    expectProblem(await askAgain(stranger, talk, "send_letter"), "thread-not-found");
    expect(await allowedIn(ada, talk)).toEqual([]);
  });

  test("needs approval again after its thread was claimed", async ({ ada }) => {
    const tokens = await signUp(server().url);
    const dan = visitor(server().url, "dan", { ...bearer(tokens.access_token), ...newAddress() });
    const first = await sendAndGetCall(dan, letter("Ann"));
    await answerCall(dan, first.run_id, true, { remember: "chat" });
    await readWholeLog(dan, first.run_id);
    await ada.call("threads.claim", { body: { refresh_token: tokens.refresh_token.token } });
    expect(await allowedIn(ada, first)).toEqual([]);
  });
});

test("the tool that asks people is not offered if the operator disabled it", async () => {
  const server = await startTestServer({
    engine: "sqlite",
    model: true,
    settings: { PARLANCE_ASK_PERSON: "off" },
  });
  try {
    await sendAndWait(server.inNewWorkspace(), "Nobody is asked tokens=2");
    const [request] = await server.requestsWith("Nobody is asked");
    const offered = request!.body!.tools as { function: { name: string } }[];
    const names = offered.map((tool) => tool.function.name);
    expect(names).toContain("calculate");
    expect(names).not.toContain("ask_person");
  } finally {
    await server.close();
  }
});
