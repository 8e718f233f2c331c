import { beforeAll, describe, expect, test } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";
import { asDocumented } from "../support/clients/expect-documented.ts";
import { pathOf, type Answer, type Visitor } from "../support/clients/visitor.ts";
import { askAs, newOwnedObjects, refusalOf, requestOf, scenarioOf } from "./ask-endpoint.ts";
import { ownedObjectsOf, stateOf, type OwnedObjects } from "./owned-objects.ts";

const names = Object.keys(api) as EndpointName[];
const origin = "http://localhost:5173";

describeServer("every endpoint", { model: true, tools: approvalTools() }, (server, engine) => {
  const allOwners = {
    "an anonymous visitor": () => server().anonymous("dan"),
    "a user of an API key": () => Promise.resolve(server().inNewWorkspace()),
    "a user with an issued token": async () => {
      const { token } = await server().inNewWorkspace().call("auth.mint");
      return server().withToken(token);
    },
  };

  // Who a credential is for does not depend on the engine, so PostgreSQL runs only each endpoint's SQL.
  const user = "a user of an API key" as const;
  const owners: Record<string, () => Promise<Visitor>> =
    engine === "sqlite" ? allOwners : { [user]: allOwners[user] };

  describe.for(Object.entries(owners))("of %s", ([, makeOwner]) => {
    let owner: Visitor;
    let shared: OwnedObjects;
    beforeAll(async () => {
      owner = await makeOwner();
      shared = await ownedObjectsOf(owner);
    });

    test.for(names)("%s succeeds for its owner", async (name) => {
      const mine = scenarioOf(name).changes ? await newOwnedObjects(name, owner) : shared;
      const answer = await answerFor(owner, name, mine, owner);
      const adminsOnly = api[name].caller === "account";
      const keysOnly = ["key", "app"].includes(api[name].caller) && !owner.headers["Aui-User-Id"];
      const { guest } = scenarioOf(name);
      const refused = refusalOf(name, owner);
      if (adminsOnly) expectProblem(answer, "not-allowed");
      else if (keysOnly) expectProblem(answer, "backend-only");
      else if (refused !== undefined) expectProblem(answer, refused);
      else if (guest !== "succeeds" && guest !== "not-signed-in") expectProblem(answer, guest);
      else {
        expect(answer.status, answer.text).toBe(api[name].status);
        scenarioOf(name).owner?.(answer as never, mine);
      }
    });
  });

  describe("of the server's owner", () => {
    let shared: OwnedObjects;
    beforeAll(async () => {
      shared = await ownedObjectsOf(await server().owner());
    });

    test.for(names.filter((name) => api[name].caller === "account"))("%s succeeds for them", async (name) => {
      const admin = await server().owner();
      const mine = scenarioOf(name).changes ? await ownedObjectsOf(admin) : shared;
      const answer = await answerFor(admin, name, mine, admin);
      const refused = refusalOf(name, admin);
      if (refused !== undefined) expectProblem(answer, refused);
      else {
        expect(answer.status, answer.text).toBe(api[name].status);
        scenarioOf(name).owner?.(answer as never, mine);
      }
    });
  });

  describe("for guests and strangers", () => {
    let owner: Visitor;
    let mine: OwnedObjects;
    let before: unknown;
    let stranger: Visitor;
    beforeAll(async () => {
      owner = server().inNewWorkspace();
      mine = await ownedObjectsOf(owner);
      before = await stateOf(owner, mine);
      stranger = await server().anonymous("eve");
    });

    // A credential is checked before an endpoint's own SQL.
    test.for(engine === "sqlite" ? names : [])(
      "%s needs a credential and answers pages of other origins",
      async (name) => {
        const answer = await answerFor(server().guest, name, mine, owner, { Origin: origin });
        const { guest } = scenarioOf(name);
        if (guest === "succeeds") expect(answer.status).toBe(200);
        else expectProblem(answer, guest);
        expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      },
    );

    test.for(names)("%s reveals nothing to strangers", async (name) => {
      const answer = await answerFor(stranger, name, mine, owner, { Origin: origin });
      const expected = scenarioOf(name).stranger;
      if (expected === "theirs") expect(answer.status, answer.text).toBe(api[name].status);
      else expectProblem(answer, expected);
      for (const secret of [...Object.values(mine), "What is mine"])
        if (typeof secret === "string") expect(answer.text).not.toContain(secret);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    });

    test("requests of strangers change nothing", async () => {
      expect(await stateOf(owner, mine)).toEqual(before);
    });
  });

  describe("for a colleague of the same workspace", () => {
    let colleagues: { ada: Visitor; ben: Visitor };
    let shared: OwnedObjects;
    beforeAll(async () => {
      colleagues = server().colleagues();
      shared = await ownedObjectsOf(colleagues.ada);
    });

    test.for(names)("%s succeeds for a colleague", async (name) => {
      const { ada, ben } = colleagues;
      const mine = scenarioOf(name).changes ? await newOwnedObjects(name, ada) : shared;
      const answer = await answerFor(ben, name, mine, ada);
      const { guest } = scenarioOf(name);
      const refused = scenarioOf(name).colleague ?? refusalOf(name, ben);
      if (api[name].caller === "account") expectProblem(answer, "not-allowed");
      else if (refused !== undefined) expectProblem(answer, refused);
      else if (guest !== "succeeds" && guest !== "not-signed-in") expectProblem(answer, guest);
      else expect(answer.status, answer.text).toBe(api[name].status);
    });
  });
});

/** Sends the owner's request as `caller`. An endless stream is read until the run of the owner's thread ends, or until the hello. */
async function answerFor(
  caller: Visitor,
  name: EndpointName,
  mine: OwnedObjects,
  owner: Visitor,
  headers: Record<string, string> = {},
): Promise<Answer> {
  if (name !== "live.follow") {
    const answer = await askAs(caller, name, mine, headers);
    asDocumented(name, answer);
    return answer;
  }
  const abort = new AbortController();
  const response = await fetch(caller.url + pathOf(name, requestOf(name, mine)), {
    headers: { ...caller.headers, ...headers },
    signal: abort.signal,
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes, { stream: true });
    if (caller !== owner || (text.includes("run-end") && text.includes(mine.thread_id))) break;
  }
  abort.abort();
  return { status: response.status, headers: response.headers, text, body: undefined };
}
