import { beforeAll, expect, test } from "vitest";
import { errorOfPermission } from "#contract/accounts/permission-errors.ts";
import {
  allows,
  grantedPermissions,
  isGranted,
  type GrantedPermission,
  type Role,
} from "#contract/accounts/permissions.ts";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { createOwner, join, openToEveryone, signIn, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { describeServer } from "../support/servers/server.ts";
import { askAs } from "./ask-endpoint.ts";
import { ownedObjectsOf, type OwnedObjects } from "./owned-objects.ts";

const endpoints = Object.entries(api) as [EndpointName, Endpoint][];
const forAccounts = endpoints
  .filter(([, { caller }]) => caller === "account")
  .map(([name]) => name)
  // It signs the person out, so it comes last.
  .toSorted((a, b) => Number(a === "accounts.remove") - Number(b === "accounts.remove"));
const granted = endpoints
  .filter(([, { permission }]) => permission !== undefined && isGranted(permission))
  .map(([name]) => name);
const forVisitors = endpoints
  .filter(([, { caller, kind }]) => caller === "visitor" && kind === "json")
  .map(([name]) => name);
const ofVisitors = (...kinds: Endpoint["kind"][]) =>
  endpoints
    .filter(([, { caller, kind }]) => caller === "visitor" && kinds.includes(kind))
    .map(([name]) => name);
const streams = ofVisitors("events", "text");
/** Pictures and downloads, which a page of the app links to. */
const downloads = ofVisitors("bytes");
/** Those that change the session's cookie. */
const forOwnPage = endpoints
  .filter(([, { caller, errors }]) => caller === "anyone" && errors?.includes("not-allowed") === true)
  .map(([name]) => name);
const forKeys = endpoints
  .filter(([, { caller, kind }]) => ["visitor", "key", "app"].includes(caller) && kind === "json")
  .map(([name]) => name);

describeServer(
  "every endpoint of people with an account",
  { model: true, tools: approvalTools() },
  (server, engine) => {
    let mine: OwnedObjects;
    let owner: Browser;
    const people = {} as Record<
      Role | "suspended" | "leaving" | "nobody" | "key of another app" | "user of a backend",
      Visitor
    >;
    beforeAll(async () => {
      owner = await openToEveryone(await createOwner(server()));
      mine = await ownedObjectsOf(owner);
      const suspended = await join(owner, { email: "suspended@example.com" });
      const { user_id: id } = await suspended.call("auth.me");
      await owner.call("people.update", { params: { person_id: id }, body: { is_suspended: true } });
      const leaving = await join(owner, { email: "leaving@example.com" });
      const { user_id: leavingId } = await leaving.call("auth.me");
      await owner.call("people.remove", {
        params: { person_id: leavingId },
        query: { after_export: true },
      });
      const { app_id } = await owner.call("console.createApp", { body: { name: "Another" } });
      const { key } = await owner.call("console.createKey", {
        params: { app_id },
        body: { name: "app" },
      });
      Object.assign(people, {
        owner,
        suspended,
        leaving: await signIn(server().url, "leaving@example.com"),
        admin: await join(owner, { email: "admin@example.com", role: "admin" }),
        member: await join(owner, { email: "member@example.com" }),
        guest: await server().anonymous(),
        nobody: server().guest,
        "user of a backend": server().inNewWorkspace(),
        "key of another app": visitor(
          server().url,
          "app",
          keyHeaders(key, { userId: "user_app", workspaceId: "org_app" }),
        ),
      });
    });

    const ask = async (who: Visitor, name: EndpointName) => await askAs(who, name, mine);

    test.for(forKeys)("%s has nothing of the owner for a key of another app", async (name) => {
      const { text } = await ask(people["key of another app"], name);
      for (const secret of [...Object.values(mine), "What is mine"])
        if (typeof secret === "string") expect(text).not.toContain(secret);
    });

    // Roles are checked before an endpoint's own SQL. tests/accounts/ reads them on PostgreSQL.
    if (engine !== "sqlite") return;

    test.for([...forAccounts, ...forVisitors, ...streams])(
      "%s is refused for a form of another site",
      async (name) => {
        const form = visitor(server().url, "form", { Cookie: owner.cookie()! });
        expectProblem(await ask(form, name), "not-signed-in");
      },
    );

    test.for(downloads)("%s is refused for a link or a picture on another site", async (name) => {
      const cookie = { Cookie: owner.cookie()!, "Sec-Fetch-Site": "cross-site" };
      expectProblem(await ask(visitor(server().url, "another site", cookie), name), "not-signed-in");
    });

    test.for(forOwnPage)(
      "%s, which begins or ends a session, is refused for a form of another site",
      async (name) => {
        const form = visitor(server().url, "form", { Cookie: owner.cookie()! });
        expectProblem(await ask(form, name), "not-allowed");
      },
    );

    test.for(forAccounts)(
      "%s is only for people with an account and the permission (CVE-2026-45386, CVE-2026-45316, CVE-2026-44571)",
      async (name) => {
        for (const [who, code] of [
          ["nobody", "not-signed-in"],
          ["suspended", "token-expired"],
          ["leaving", "account-deleted"],
          ["guest", "not-allowed"],
          ["user of a backend", "not-allowed"],
          ["key of another app", "not-allowed"],
        ] as const)
          expect(expectProblem(await ask(people[who], name)), who).toBe(code);
        const { permission }: Endpoint = api[name];
        for (const role of ["member", "admin", "owner"] as const) {
          const answer = await ask(people[role], name);
          if (permission === undefined || allows(role, permission))
            expect(answer.text, role).not.toContain('"not-allowed"');
          else expect(expectProblem(answer), role).toBe("not-allowed");
        }
      },
    );

    test.for(forVisitors)(
      "%s is refused for somebody who is suspended, or whose account is deleted",
      async (name) => {
        expectProblem(await ask(people.suspended, name), "token-expired");
        const { worksWhileLeaving }: Endpoint = api[name];
        if (worksWhileLeaving !== true) expectProblem(await ask(people.leaving, name), "account-deleted");
      },
    );
  },
);

// One engine, because permissions are checked before a request reaches an endpoint's SQL.
describeServer(
  "every endpoint with a permission that people can lack",
  { model: true, on: ["sqlite"] },
  (server) => {
    let mine: OwnedObjects;
    let owner: Browser;
    const people = {} as Record<
      "owner" | "admin" | "member" | "member of a group" | "member of another group" | "guest" | "backend",
      Visitor
    >;
    const nothing = { models: null, assistants: null, tools: null, permissions: [] };
    beforeAll(async () => {
      owner = await openToEveryone(await createOwner(server()));
      mine = await ownedObjectsOf(owner);
      await owner.call("accessSettings.put", { body: { member: nothing, guest: nothing } });
      const inGroup = async (name: string, permissions: GrantedPermission[]) => {
        const body = { name, rights: { ...nothing, permissions } };
        const { id: group_id } = await owner.call("groups.create", { body });
        const browser = await join(owner, { email: `${group_id}@example.com` });
        const { user_id: person_id } = await browser.call("auth.me");
        await owner.call("groups.addMember", { params: { group_id, person_id } });
        return browser;
      };
      Object.assign(people, {
        owner,
        admin: await join(owner, { email: "admin@example.com", role: "admin" }),
        member: await join(owner, { email: "member@example.com" }),
        "member of a group": await inGroup("Everything", [...grantedPermissions]),
        "member of another group": await inGroup("Nothing", []),
        guest: await server().anonymous(),
        backend: server().inNewWorkspace(),
      });
    });

    const ask = async (who: keyof typeof people, name: EndpointName) => await askAs(people[who], name, mine);

    test.for(granted)("%s names the permission that somebody lacks", async (name) => {
      const { permission, caller }: Endpoint = api[name];
      const missing = errorOfPermission(permission!);
      for (const [who, code] of [
        ["member", missing],
        ["member of another group", missing],
        ["guest", caller === "account" ? "not-allowed" : missing],
      ] as const)
        expect(expectProblem(await ask(who, name)), who).toBe(code);
      for (const who of ["member of a group", "admin", "owner"] as const)
        expect((await ask(who, name)).text, who).not.toMatch(/not-allowed/);
      // Their own service decides what users of a backend may do.
      const answer = await ask("backend", name);
      if (caller === "account") expectProblem(answer, "not-allowed");
      else expect(answer.text).not.toMatch(/not-allowed/);
    });
  },
);
