import { launchChromium } from "../../e2e/support/chromium.ts";
import { createTextGenerator, type TextGenerator } from "#fixtures/random-text.ts";
import { createPasswordHasher } from "#server/people/accounts/password-hash.ts";
import { createRights } from "#server/people/rights/rights.ts";
import { owner } from "#server/apps/first-app.ts";
import { openDatabase } from "#storage/database/open.ts";
import { call, startParlance, type Parlance, type User } from "../support/parlance.ts";
import { median, percentile, type Bench, type Figure } from "../support/report.ts";
import { withFolder } from "../support/services.ts";
import type { AppThread } from "./app-thread.ts";
import {
  addressOf,
  groupCount,
  password,
  peopleCount,
  sharingCount,
  storeManyPeople,
} from "./many-people.ts";

const rounds = 30;
const signIns = 7;
const checks = 200_000;
const aims = { screenMs: 200, checkUs: 20, signInMs: 300 };

/** The administration, permissions, sign-in and search of shared threads on a server with many people. */
export const people: Bench = {
  about: `the administration, permission checks, sign-in and search with ${peopleCount} people and ${groupCount} groups`,
  async run() {
    return await withFolder(async (folder) => {
      const generator = createTextGenerator();
      const { people: stored, appThread } = await storeManyPeople(folder, generator);
      const check = await measureChecks(folder, stored[0]!);
      const server = await startParlance({ DATA_DIR: folder });
      try {
        return [
          ...(await measureAdministration(server, appThread)),
          check,
          await measureSignIn(server),
          ...(await measureSearch(server, generator)),
        ];
      } finally {
        await server.stop();
      }
    });
  },
};

/** What each screen of the administration requests. */
async function measureAdministration(server: Parlance, shown: AppThread): Promise<Figure[]> {
  const admin = await signInAsOwner(server);
  const { groups } = await call<{ groups: { id: string }[] }>(admin, "GET", "/v1/groups");
  const { people: listed } = await call<{ people: { id: string }[] }>(admin, "GET", "/v1/people?limit=100");
  const [group, person] = [groups[0]!.id, listed.at(-1)!.id];
  const app = `/v1/admin/apps/${owner.appId}`;
  const screens: Record<string, string[]> = {
    people: ["/v1/people", "/v1/join-requests", "/v1/groups"],
    "people: a search": ["/v1/people?search=son%209999"],
    "people: of a group": [`/v1/people?group=${group}`],
    "people: a later page": [`/v1/people?limit=100&after=${person}`],
    groups: ["/v1/groups", "/v1/access-settings"],
    "groups: a search": ["/v1/groups?search=oup%20999"],
    "groups: one": [`/v1/groups/${group}`, `/v1/groups/${group}/members`],
    invitations: ["/v1/invitations"],
    "sign-in": ["/v1/sign-in-settings", "/v1/sign-in-providers", "/v1/mail"],
    budgets: ["/v1/budgets"],
    "budgets: a search": [
      "/v1/budgets?search=son%2099",
      "/v1/groups?search=son%2099",
      "/v1/people?search=son%2099",
    ],
    apps: ["/v1/admin/apps"],
    "apps: one": [app, `${app}/usage`],
    "apps: users": [`${app}/users`],
    "apps: a user": [`${app}/users?search=user-9999`],
    "apps: threads": [`${app}/threads`],
    "apps: a thread": [`${app}/threads/${shown.threadId}/messages`],
    "apps: runs": [`${app}/runs`],
    "apps: a run": [`${app}/runs/${shown.runId}`],
    "apps: scores": [`${app}/scores?name=feedback`],
    health: ["/v1/admin/health"],
    "audit log": ["/v1/audit"],
    "audit log: of a person": [`/v1/audit?person=${person}`],
    "audit log: a search": ["/v1/audit?search=person-9999"],
    "usage of everyone": ["/v1/usage/everyone?group_by=both"],
  };
  const figures: Figure[] = [];
  for (const [screen, paths] of Object.entries(screens)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      await Promise.all(paths.map(async (path) => await call(admin, "GET", path)));
      times.push(performance.now() - startedAt);
    }
    const ours = percentile(times, 95);
    figures.push({
      what: `screen ${screen}, p95`,
      unit: "ms",
      ours,
      aim: `at most ${aims.screenMs} ms`,
      met: ours <= aims.screenMs,
    });
  }
  return figures;
}

async function signInAsOwner(server: Parlance): Promise<User> {
  const [, secret] = await server.printed(/\/owner#(\S+)/);
  return await openSession(server, "/v1/auth/session", { owner_secret: secret });
}

async function openSession({ url }: Parlance, path: string, body: object): Promise<User> {
  const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
  const opened = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!opened.ok) throw new Error(`${path}: ${opened.status} ${await opened.text()}`);
  return { url, headers: { ...headers, Cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" } };
}

/** A check by a process that has read the person's rights before. */
async function measureChecks(
  folder: string,
  { id: userId, workspaceId }: { id: string; workspaceId: string },
): Promise<Figure> {
  const db = await openDatabase({ dataDir: folder });
  try {
    const rights = createRights({ db });
    const visitor = {
      userId,
      workspaceId,
      kind: "member" as const,
      role: "member" as const,
      appId: owner.appId,
      workspaceName: userId,
      credentialId: "bench",
    };
    let allowed = 0;
    const startedAt = performance.now();
    for (let n = 0; n < checks; n++)
      if ((await rights.of(visitor)).model(`env/model-${n % groupCount}`)) allowed += 1;
    const ours = ((performance.now() - startedAt) * 1_000) / checks;
    if (allowed === 0) throw new Error("No model was allowed.");
    return {
      what: "permission check",
      unit: "µs",
      ours,
      aim: `at most ${aims.checkUs} µs`,
      met: ours <= aims.checkUs,
    };
  } finally {
    await db.close();
  }
}

/** From the click until one can write, without the time of the password's hash. */
async function measureSignIn({ url }: Parlance): Promise<Figure> {
  const hasher = createPasswordHasher();
  const stored = await hasher.hash(password);
  const browser = await launchChromium();
  const [signedIn, hashed]: [number[], number[]] = [[], []];
  try {
    for (let n = 0; n < signIns; n++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${url}/sign-in`);
      await page.getByLabel("E-mail address", { exact: true }).fill(addressOf(0));
      await page.getByLabel("Password", { exact: true }).fill(password);
      const button = page.getByRole("main").getByRole("button", { name: "Sign in", exact: true });
      await button.waitFor();
      const startedAt = performance.now();
      await button.click();
      await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
      signedIn.push(performance.now() - startedAt);
      await context.close();
      const hashedAt = performance.now();
      await hasher.verify(password, stored);
      hashed.push(performance.now() - hashedAt);
    }
  } finally {
    await browser.close();
  }
  const ours = median(signedIn) - median(hashed);
  return {
    what: "sign-in until the first screen beyond the hash, median",
    unit: "ms",
    ours,
    baseline: median(hashed),
    against: "the hash",
    aim: `at most ${aims.signInMs} ms`,
    met: ours <= aims.signInMs,
  };
}

/** Two people with equally many messages; many others share threads with the first one. */
async function measureSearch(server: Parlance, generator: TextGenerator): Promise<Figure[]> {
  const [shared, alone] = await Promise.all(
    [0, 1].map(async (n) => await openSession(server, "/v1/auth/sign-in", { email: addressOf(n), password })),
  );
  const figures: Figure[] = [];
  for (const path of ["search", "search/threads"]) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let n = 0; n < 4 * rounds; n++) {
      const query = encodeURIComponent(generator.word());
      for (const [person, times] of [
        [shared!, ours],
        [alone!, theirs],
      ] as const) {
        const startedAt = performance.now();
        await call(person, "GET", `/v1/${path}?q=${query}`);
        times.push(performance.now() - startedAt);
      }
    }
    figures.push({
      what: `${path} with threads of ${sharingCount} others, p95`,
      unit: "ms",
      ours: percentile(ours, 95),
      baseline: percentile(theirs, 95),
      against: "a search of one's own threads only",
    });
  }
  return figures;
}
