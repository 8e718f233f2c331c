import {
  createOwner,
  join as joinAs,
  openBrowser,
  openToEveryone,
  password,
  type Browser,
} from "./support/clients/browser.ts";
import { runCommand } from "./support/servers/cli.ts";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import type { ErrorBody } from "#contract/errors.ts";
import type { OpenApi } from "#contract/reference/openapi-types.ts";
import { apiKey } from "#fixtures/people.ts";
import { dot } from "#fixtures/dot.ts";
import { otherStatus } from "./endpoints/examples-that-fail.ts";
import { ownNounOf, putExample } from "./endpoints/own-nouns.ts";
import { newOwnedObjects, scenarioOf } from "./endpoints/ask-endpoint.ts";
import { ownedObjectsOf, type OwnedObjects } from "./endpoints/owned-objects.ts";
import { auditedDuring, expectAudited } from "./support/data/audit-entries.ts";
import { approvalTools } from "./support/servers/approval-tools.ts";
import { describeServer } from "./support/servers/server.ts";
import { importPersonFor } from "./support/clients/transfer.ts";
import { signUp, type Visitor } from "./support/clients/visitor.ts";

const names = Object.keys(api) as EndpointName[];
const run = promisify(execFile);

describeServer("the API reference", { on: ["sqlite"], model: true }, (server) => {
  test("is served as valid OpenAPI to any origin", async () => {
    const { status, headers, body } = await server().guest.send("GET", "/openapi.json", {
      headers: { Origin: "http://localhost:5173" },
    });
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(headers.get("content-encoding")).toBe("gzip");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect((await new Validator().validate(body as never)).valid).toBe(true);
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(body).toMatchObject({ info: { version } });
  });

  test("has a page with a policy that allows inline styles but no foreign scripts", async () => {
    await writeFile(join(server().place.dataDir, "dist", "web", "docs.html"), "<title>Built</title>");
    const { status, headers, text } = await server().guest.send("GET", "/docs");
    expect([status, text]).toEqual([200, "<title>Built</title>"]);
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("style-src 'self' 'unsafe-inline';");
    const app = await server().guest.send("GET", "/");
    expect(app.headers.get("content-security-policy")).toContain("style-src 'self';");
    const alone = await fetch(`${server().url}/docs.html`, { redirect: "manual" });
    expect(alone.headers.get("location")).toBe("/docs");
  });
});

describeServer(
  "the examples of the API reference",
  { on: ["sqlite"], model: true, tools: approvalTools() },
  (server) => {
    let folder = "";
    let document: OpenApi;
    let ada: Visitor;
    /** Whose objects the examples share that change nothing. */
    let reader: Visitor;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "parlance-curl-"));
      await copyFile("fixtures/files/garden.png", join(folder, "garden.png"));
      ada = await server().anonymous("ada");
      reader = await server().anonymous("reader");
      document = (await server().guest.send("GET", "/openapi.json")).body as OpenApi;
    });
    afterAll(async () => await rm(folder, { recursive: true, force: true }));

    let readersObjects: Promise<OwnedObjects> | undefined;
    let owner: Browser | undefined;
    /** Signs in as the owner, again after the examples that end sessions or change the password. */
    async function signInOwner(): Promise<Browser> {
      owner ??= await openToEveryone(await createOwner(server(), "ada@example.com"));
      if ((await owner.ask("auth.me")).status === 200) return owner;
      owner = openBrowser(server().url);
      for (const each of [password, "a longer horse battery"])
        await owner.post("accounts.signIn", { email: "ada@example.com", password: each });
      return owner;
    }

    let people = 0;
    /** A new member, or somebody who asks for an account. */
    async function personFor(name: EndpointName): Promise<string> {
      const admin = await signInOwner();
      const email = `person${++people}@example.com`;
      // The example of `people.update` makes a member of an administrator.
      const role = name === "people.update" ? "admin" : "member";
      if (!name.startsWith("joinRequests"))
        return (await (await joinAs(admin, { email, role })).call("auth.me")).user_id;
      await admin.call("signInSettings.put", {
        body: { joining: "approval", guests: true, email_domains: [] },
      });
      await openBrowser(server().url).post("accounts.signUp", { name: "Ben", email, password });
      return (await admin.call("joinRequests.list")).requests[0]!.user_id;
    }

    /** A thread of the person, and a link to it. */
    async function shareFor(who: Visitor): Promise<Record<string, string>> {
      const { thread_id: threadId } = await ownedObjectsOf(who);
      const { id, url } = await who.call("shares.create", { body: { thread_id: threadId } });
      return { THREAD_ID: threadId, SHARE_ID: id, SHARE_TOKEN: url!.split("/").at(-1)! };
    }

    /** The first app, and a key and a rule of it. */
    async function appFor(admin: Visitor, name: EndpointName): Promise<Record<string, string>> {
      const { apps } = await admin.call("console.apps");
      const params = { app_id: apps[0]!.id };
      const { id } = await admin.call("console.createKey", { params, body: { name: `For ${name}` } });
      const { rule } = await admin.call("console.addJwtRule", {
        params,
        body: { issuer: `https://${name}.example/`, jwks_url: "https://localhost:1/jwks" },
      });
      return { APP_ID: params.app_id, KEY_ID: id, JWT_RULE_ID: rule.id };
    }

    /** An alert rule of a new app. */
    async function alertRuleFor(admin: Visitor): Promise<Record<string, string>> {
      const app = await admin.call("console.createApp", { body: { name: newId("app") } });
      const { body } = api["alerts.create"].example;
      const { rule } = await admin.call("alerts.create", { params: app, body });
      return { APP_ID: app.app_id, ALERT_RULE_ID: rule.id };
    }

    /** A webhook of a new app, with a delivery. */
    async function webhookFor(admin: Visitor): Promise<Record<string, string>> {
      const app = await admin.call("console.createApp", { body: { name: newId("app") } });
      const body = { url: "https://localhost/", events: ["run.ended" as const] };
      const { webhook } = await admin.call("webhooks.create", { params: app, body });
      const params = { ...app, webhook_id: webhook.id };
      const { delivery_id } = await admin.call("webhooks.test", { params });
      return { APP_ID: app.app_id, WEBHOOK_ID: webhook.id, DELIVERY_ID: delivery_id };
    }

    /** A tool server for everybody. */
    async function toolServerFor(admin: Visitor): Promise<Record<string, string>> {
      const { body } = api["toolServers.create"].example;
      const { server: added } = await admin.call("toolServers.create", { body });
      return { TOOL_SERVER_ID: added.id };
    }

    /** Runs a shell command and returns its output. */
    async function shell(line: string, variables: Record<string, string>): Promise<string> {
      const env = { PATH: process.env.PATH ?? "", ...variables };
      // curl exits with 28 when a stream reaches --max-time.
      const { stdout } = await run("bash", ["-euo", "pipefail", "-c", line], { env, cwd: folder }).catch(
        (error: { code?: number; stdout: string }) => {
          if (error.code === 28) return { stdout: error.stdout };
          throw error;
        },
      );
      return stdout;
    }

    async function variablesFor(name: EndpointName): Promise<Record<string, string>> {
      const { changes, prepare, question } = scenarioOf(name);
      const isReading = (changes ?? prepare ?? question) === undefined && name !== "trash.remove";
      const visitor = isReading ? reader : ada;
      const isVisitors = ["anyone", "visitor", "link"].includes(api[name].caller);
      const mine =
        isVisitors && isReading
          ? await (readersObjects ??= ownedObjectsOf(reader))
          : await newOwnedObjects(name, isVisitors ? visitor : server().inWorkspace("garden"));
      const { refresh_token: refreshToken } = await signUp(server().url);
      return {
        PARLANCE: server().url,
        TOKEN: visitor.headers.Authorization!.slice("Bearer ".length),
        API_KEY: apiKey,
        REFRESH_TOKEN: refreshToken.token,
        THREAD_ID: mine.thread_id,
        MESSAGE_ID: mine.message_id,
        REPLY_ID: mine.reply_id,
        COMPARISON_ID: "cmp_nobody",
        SUMMARY_ID: mine.message_id,
        RUN_ID: mine.run_id,
        QUEUED_ID: mine.queued_id,
        LEASE_ID: mine.lease_id,
        FILE_ID: mine.file_id,
        FILE_KEY: mine.file_key,
        PUBLIC_URL: `${server().url}/v1/content/${mine.file_id}/${mine.file_secret}`,
        USER_ID: "user_nobody",
        TOOL_CALL_ID: "call_0_0",
        TOOL_NAME: "send_letter",
        ASSISTANT_ID: "default",
        // The one of the example of `providers.create`, which runs first.
        PROVIDER_ID: "workshop",
        // The one of the example of `signInProviders.create`.
        SIGN_IN_PROVIDER_ID: "github",
        PROVIDER: "github",
        FLOW: "flow_0unknown",
        PASSKEY_ID: "pass_0nobody",
        SETUP: "nothing",
        OWNER_COOKIE: (await signInOwner()).cookie()!,
      };
    }

    function exampleOf(name: EndpointName): string {
      const { path, method } = api[name];
      return document.paths[path]![method.toLowerCase()]!["x-codeSamples"]![0]!.source;
    }

    test.for(names)("run unchanged: %s", async (name) => {
      const variables = await variablesFor(name);
      // The check starts a process, which takes a while on a busy machine. The feed never ends.
      const maxSeconds = name === "health.check" ? 30 : name === "live.follow" ? 1 : 3;
      const line = `${exampleOf(name)} --silent --show-error --max-time ${maxSeconds} --write-out '\\n%{http_code}'`;
      // An anonymous user cannot claim threads, so the example needs a token of a signed-in user.
      if (name === "threads.claim")
        variables.TOKEN = (await server().inWorkspace("garden").call("auth.mint")).token;
      if (name === "auth.endSession") {
        // A session that no other example uses.
        const { access_token: token } = await signUp(server().url);
        const { sessions } = await server().withToken(token).call("auth.sessions");
        Object.assign(variables, { TOKEN: token, SESSION_ID: sessions[0]!.id });
      }
      if (name === "accounts.resetPassword") {
        const { out } = await runCommand(server().place, ["owner", "reset"]);
        variables.RESET_TOKEN = /#(\w+)/.exec(out)![1]!;
      }
      if (/nvitation|signUp/.test(name)) {
        const { link, invitation } = await (
          await signInOwner()
        ).call("invitations.create", { body: { role: "member" } });
        Object.assign(variables, { INVITATION: link.split("#")[1]!, INVITATION_ID: invitation.id });
      }
      if (name === "keys.revoke")
        variables.KEY_ID = (
          await (await signInOwner()).call("keys.create", { body: { name: "A script" } })
        ).key.id;
      if (name === "profile.picture") {
        const { profile } = await (await signInOwner()).call("profile.update", { body: { picture: dot } });
        variables.PICTURE_URL = server().url + profile!.picture_url!;
      }
      const noun = ownNounOf(name);
      if (noun !== undefined) {
        // Users of a backend have none of some nouns.
        const dan = server().withToken((await signUp(server().url)).access_token);
        variables.TOKEN = dan.headers.Authorization!.slice("Bearer ".length);
        variables[noun.param.toUpperCase()] = await putExample(dan, noun);
      }
      if (name.startsWith("shares.")) Object.assign(variables, await shareFor(await signInOwner()));
      if (name.startsWith("console.")) Object.assign(variables, await appFor(await signInOwner(), name));
      if (name.startsWith("alerts.")) Object.assign(variables, await alertRuleFor(await signInOwner()));
      if (name.startsWith("toolServers.")) Object.assign(variables, await toolServerFor(await signInOwner()));
      if (name.startsWith("webhooks.")) Object.assign(variables, await webhookFor(await signInOwner()));
      if (name.startsWith("threadMembers.")) {
        Object.assign(variables, await shareFor(await signInOwner()));
        variables.MEMBER_ID = await personFor(name);
      }
      if (name.startsWith("groups."))
        variables.GROUP_ID = (
          await (await signInOwner()).call("groups.create", { body: { name: `For ${name}` } })
        ).id;
      if (name.startsWith("budgets.")) variables.BUDGET_ID = "app";
      if (/^(people|joinRequests|groups)\./.test(name)) variables.PERSON_ID = await personFor(name);
      if (name.startsWith("preparedPeople."))
        variables.PERSON_ID = await importPersonFor(await signInOwner(), `${name}@other.example`);
      const member = { member_id: variables.MEMBER_ID!, thread_id: variables.THREAD_ID! };
      if (name === "threadMembers.remove")
        await owner!.call("threadMembers.put", { params: member, body: { access: "read" } });
      if (name === "groups.removeMember")
        await owner!.call("groups.addMember", {
          params: { group_id: variables.GROUP_ID!, person_id: variables.PERSON_ID! },
        });
      if (name === "files.receive") {
        const { signedUrl } = await ada.call("files.upload", { body: { filename: "garden.png" } });
        variables.SIGNED_URL = signedUrl;
      }
      if (name === "files.openPage" || name === "files.pdfToImages") {
        // Convert it first, so that the example does not wait for a process to start.
        const { urls } = await ada.call("files.pdfToImages", { body: api["files.pdfToImages"].example.body });
        variables.PAGE_URL = urls[0]!;
      }
      if (name === "trash.remove")
        await ada.call("threads.remove", { params: { thread_id: variables.THREAD_ID! } });
      const { result: printed, entries } = await auditedDuring(
        server().place,
        async () => await shell(line, variables),
      );
      expect(printed.split("\n").at(-1), `${line}\n${printed}`).toBe(
        String(otherStatus[name] ?? api[name].status),
      );
      if (otherStatus[name] === undefined) expectAudited((api[name] as Endpoint).audit, entries);
      if (otherStatus[name] === 502 && name.startsWith("providers."))
        expect(server().log.takeErrors()).toHaveLength(1);
    });

    test("start with commands that print an answer", async () => {
      const [, lines] = /```sh\n(.*?)```/s.exec(document.info.description)!;
      const printed = await shell(lines!, {});
      expect(printed).toMatch(/^id: 1\ndata: \{"type":"run-start"/);
      expect(printed).toContain('"run-end"');
    });
  },
);

describe("the check of documented responses", () => {
  test("rejects undocumented errors, statuses and fields", async () => {
    const { asDocumented } = await import("./support/clients/expect-documented.ts");
    const problem: ErrorBody = { error: "Thread is busy", code: "thread-busy", message: "" };
    const answered = (status: number, body: unknown) => ({ status, body, text: JSON.stringify(body) });
    expect(() => asDocumented("threads.get", answered(409, problem))).toThrow(
      /thread-busy.*contract\/endpoints/,
    );
    expect(() => asDocumented("auth.mint", answered(200, { token: 7 }))).toThrow(/token must be text/);
    expect(() => asDocumented("auth.mint", answered(202, { token: "x" }))).toThrow(/202/);
    expect(() => asDocumented("auth.mint", answered(200, { token: "x" }))).not.toThrow();
  });
});
