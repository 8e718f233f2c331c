import { expect } from "vitest";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { readWholeLog } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { keyHeaders, signUp, visitor, type Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";

const about = "I am a nurse in Lyon.";

describeServer("personal instructions", { model: true }, (server) => {
  const systemFor = async (who: Visitor, question: string) => {
    const { run_id: runId } = await who.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: { message: { parent_id: null, content: userMessage(question) } },
    });
    await readWholeLog(who, runId);
    return JSON.stringify((await server().requestsWith(question))[0]);
  };
  const put = async (who: Visitor, instructions: string) =>
    await who.call("personalInstructions.put", { body: { instructions } });
  const read = async (who: Visitor) => (await who.call("personalInstructions.get")).instructions;

  test("reach the model in every later answer to their author, after the assistant's", async ({ owner }) => {
    const { assistant } = await owner.call("assistants.create", {
      body: { name: "Gardener", instructions: "Name plants in Latin." },
    });
    await put(owner, `  ${about} `);
    expect(await read(owner)).toBe(about);
    const { run_id: runId } = await owner.call("runs.start", {
      params: { thread_id: newId("thread") },
      body: {
        message: { parent_id: null, content: userMessage("What grows in shade?") },
        assistant_id: assistant.id,
      },
    });
    await readWholeLog(owner, runId);
    const [request] = await server().requestsWith("What grows in shade?");
    expect(JSON.stringify(request)).toMatch(/Name plants in Latin.*nurse in Lyon/);
    await put(owner, "");
    expect(await systemFor(owner, "And in the sun?")).not.toContain("nurse");
  });

  test("are used for nobody else, and nobody else can read them", async () => {
    const [dan, eve] = [await server().anonymous("dan"), await server().anonymous("eve")];
    await put(dan, "My cat is called Minou.");
    expect(await read(eve)).toBe("");
    expect(await systemFor(eve, "Who is my cat?")).not.toContain("Minou");
    expect(await systemFor(dan, "Who is my animal?")).toContain("Minou");
  });

  test("count in the composer's gauge", async ({ dan }) => {
    const params = { thread_id: newId("thread") };
    const body = { message: { parent_id: null, content: userMessage("Hello") }, model: "builtin" };
    await readWholeLog(dan, (await dan.call("runs.start", { params, body })).run_id);
    const tokens = async () =>
      (await dan.call("threads.context", { params })).parts.find(({ kind }) => kind === "instructions")!
        .tokens;
    const before = await tokens();
    await put(dan, "word ".repeat(400));
    expect(await tokens()).toBeGreaterThan(before + 300);
  });

  test("are refused if they are too long, or from a user of a backend", async ({ dan }) => {
    const long = "a".repeat(limits.personalInstructionsCharacters + 1);
    const answer = await dan.ask("personalInstructions.put", { body: { instructions: long } });
    expectProblem(answer, "bad-request");
    expect(answer.text).toContain("body.instructions");
    const ada = server().person("ada");
    await ada.fails("not-allowed", "personalInstructions.get");
    await ada.fails("not-allowed", "personalInstructions.put", { body: { instructions: about } });
  });

  test("of a person are not used for a backend's user with the same id", async ({ dan }) => {
    await put(dan, "The safe is behind the heron.");
    const { user_id: id } = await dan.call("auth.me");
    const twin = visitor(server().url, "a backend", keyHeaders(apiKey, { userId: id, workspaceId: "org_9" }));
    expect(await systemFor(twin, "Repeat what I wrote about myself.")).not.toContain("heron");
    const claimed = await signUp(server().url);
    await put(server().withToken(claimed.access_token), "Somebody else's text.");
    await twin.call("threads.claim", { body: { refresh_token: claimed.refresh_token.token } });
    expect(await read(dan)).toBe("The safe is behind the heron.");
  });

  test("are erased with everything else", async ({ dan }) => {
    await put(dan, about);
    await dan.call("erasure.everything");
    expect(await read(dan)).toBe("");
  });
});
