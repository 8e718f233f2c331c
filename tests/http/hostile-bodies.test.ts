import { expect, test } from "vitest";
import { api, type Endpoint, type EndpointName } from "#contract/api.ts";
import { expectProblem } from "../support/problem.ts";
import { unfinishedRequest, type RawAnswer } from "../support/raw.ts";
import { describeServer } from "../support/server.ts";
import { newAddress } from "../support/visitor.ts";

const endpoints: [EndpointName, Endpoint][] = Object.entries(api) as never;
const withBody = endpoints.filter(([, { body, takes }]) => body !== undefined && takes !== "bytes");
const forAnyone = withBody.filter(([, { caller }]) => caller === "anyone").map(([name]) => name);
const forSome = withBody.filter(([, { caller }]) => caller !== "anyone").map(([name]) => name);
const rateLimited = endpoints.filter(([, { perMinute }]) => perMinute !== undefined).map(([name]) => name);

describeServer("a body that is made to stop the server", { on: ["sqlite"] }, (server) => {
  const ownPage = { "Parlance-Client": "web", "Content-Type": "application/json" };

  /** The server's answer to a request whose body never ends. */
  async function answerBeforeEnd(
    name: EndpointName,
    sent: { headers?: Record<string, string>; declaredBytes: number; body: string },
  ): Promise<RawAnswer> {
    const { method, path } = api[name];
    const request = unfinishedRequest(server().url, {
      method,
      path: path.replaceAll(/\{(\w+)\}/g, "x"),
      ...sent,
      headers: { ...ownPage, ...sent.headers },
    });
    return await request.answer.finally(request.hangUp);
  }

  test.for(forSome)("is not read before the credential is checked: %s", async (name) => {
    expectProblem(await answerBeforeEnd(name, { declaredBytes: 100, body: "{" }), "not-signed-in");
  });

  test.for(rateLimited)("is counted for its address before it is read: %s", async (name) => {
    const address = newAddress();
    const { method, path, perMinute } = api[name] as Endpoint;
    const spend = async () =>
      await server().guest.send(method, path, { headers: { ...ownPage, ...address }, body: "no JSON" });
    for (let sent = 0; sent < perMinute!; sent += 20)
      for (const answer of await Promise.all(Array.from({ length: 20 }, spend)))
        expectProblem(answer, "bad-json");
    const refused = await answerBeforeEnd(name, { headers: address, declaredBytes: 100, body: "{" });
    expectProblem(refused, "rate-limited");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  });

  test("has a rate limit wherever a stranger may send one", () => {
    expect(rateLimited).toEqual(expect.arrayContaining(forAnyone));
  });
});
