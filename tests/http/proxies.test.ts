import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { apiKey } from "#fixtures/people.ts";
import { readConfig } from "#server/settings/settings.ts";
import { clients, keyCloud } from "../protocol/clients.ts";
import { sendAndWait, startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { attach } from "../support/data/files.ts";
import { freePort } from "../support/postgres/postgres-cluster.ts";
import type { TestServer } from "../support/servers/server.ts";
import { adaOn, childForTest, modelForTest, placeForTest } from "../support/test-scope.ts";

/** The blocks of docs/guides/proxies.md, in front of a real server where the program is installed. */

const page = await readFile("docs/guides/proxies.md", "utf8");
const blocksOf = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(([, block]) => block!);
const [caddy, caddyWithPath] = blocksOf("caddy") as [string, string];
const [nginx, nginxPath] = blocksOf("nginx") as [string, string];

const lacks = (program: string, flag: string) => spawnSync(program, [flag]).error !== undefined;
const name = "chat.example.com";

/** What the guide has below a path: passed on, and removed. */
const nginxWithPath = nginx
  .replace("location /", "location /chat/")
  .replace(/proxy_pass.*/, /proxy_pass.*/.exec(nginxPath)![0]);
const nginxWithoutPath = nginxWithPath.replace(/(proxy_pass .*);/, "$1/;");
const caddyWithoutPath = caddyWithPath
  .replace(/\t@parlance.*\n/, "")
  .replace(/\treverse_proxy @parlance (.*)/, "\thandle_path /chat/* {\n\t\treverse_proxy $1\n\t}");

/** Writes the block's own configuration, and that without TLS which listens on the port. */
type Proxy = {
  prepare(folder: string, block: string, ports: { proxy: number; server: string }): Promise<void>;
  check: string[];
  start: string[];
  blocks: { atRoot: string; passed: string; removed: string };
};

const proxies: Record<string, Proxy> = {
  nginx: {
    async prepare(folder, block, ports) {
      const key = join(folder, "key.pem");
      const request = `req -x509 -newkey rsa:2048 -nodes -subj /CN=${name} -keyout ${key} -out ${key}.crt`;
      execFileSync("openssl", request.split(" "), { stdio: "ignore" });
      const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      );
      const whole = (server: string) =>
        `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; pid ${folder}/pid; error_log stderr;
         events {} http { access_log off; ${places.join(" ")} ${server} }`;
      const certified = block
        .replaceAll(/\/etc\S+fullchain.pem/g, `${key}.crt`)
        .replace(/\/etc\S+key.pem/, key);
      const plain = block.replaceAll(/^ *ssl_.*\n/gm, "").replace("443 ssl", `127.0.0.1:${ports.proxy}`);
      await writeFile(join(folder, "checked"), whole(certified));
      await writeFile(join(folder, "started"), whole(plain.replace("127.0.0.1:3000", ports.server)));
    },
    check: ["-t", "-q", "-c", "checked", "-p"],
    start: ["-c", "started", "-p"],
    blocks: { atRoot: nginx, passed: nginxWithPath, removed: nginxWithoutPath },
  },
  caddy: {
    async prepare(folder, block, ports) {
      const plain = block.replace(/^\S+/, `http://localhost:${ports.proxy}`);
      await writeFile(join(folder, "checked"), block);
      await writeFile(
        join(folder, "started"),
        `{\nadmin off\n}\n${plain.replace("127.0.0.1:3000", ports.server)}`,
      );
    },
    check: ["validate", "--adapter", "caddyfile", "--config", "checked"],
    start: ["run", "--adapter", "caddyfile", "--config", "started"],
    blocks: { atRoot: caddy, passed: caddyWithPath, removed: caddyWithoutPath },
  },
};

describe.for(Object.entries(proxies))(
  "%s as the guide configures it",
  ([program, { prepare, check, start, blocks }]) => {
    const isMissing = lacks(program, program === "nginx" ? "-v" : "version");

    /** A server at this path of the proxy's host. `startProxy` returns a function that stops the proxy. */
    async function serverAt(path: string) {
      const place = await placeForTest("sqlite");
      const folder = join(place.dataDir, program);
      await mkdir(folder);
      const [port, behind] = [await freePort(), await freePort()];
      const url = `http://localhost:${port}${path}`;
      const direct = `http://127.0.0.1:${behind}`;
      await childForTest(place, await modelForTest(), {
        PORT: String(behind),
        PUBLIC_URL: url,
        TRUST_PROXY: "1",
        PARLANCE_API_KEY: apiKey,
      });
      return {
        url,
        direct,
        async startProxy(block: string): Promise<() => Promise<void>> {
          await prepare(folder, block, { proxy: port, server: `127.0.0.1:${behind}` });
          const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
          const where = program === "nginx" ? [`${folder}/`] : [];
          const checked = spawnSync(program, [...check, ...where], { ...options, encoding: "utf8" });
          expect(checked.status, checked.stderr).toBe(0);
          const proxy = spawn(program, [...start, ...where], { ...options, stdio: "ignore" });
          const ended = once(proxy, "exit");
          const stop = async () => {
            proxy.kill("SIGTERM");
            await ended;
          };
          onTestFinished(stop);
          const isUp = async () => (await fetch(`${url}/livez`).catch(() => undefined))?.status;
          await expect.poll(isUp).toBe(200);
          return stop;
        },
      };
    }

    test("passes on answers while they are written, and large files", async ({ skip }) => {
      skip(isMissing, `${program} is not installed`);
      const { url, startProxy } = await serverAt("");
      await startProxy(blocks.atRoot);
      const ada = adaOn({ url });
      const { run_id } = await startRun(ada, "Talk on\nendless gap=50");
      const { stream } = await waitForFirstWord(ada, run_id);
      await ada.call("runs.stop", { params: { run_id } });
      await stream.rest();
      expect((await sendAndWait(ada, "Hello")).reply.end).toMatchObject({ state: "completed" });
      const bytes = Buffer.alloc(5_000_000, "beans ");
      const { publicUrl } = await attach(ada, "beans.txt", bytes, "text/plain");
      expect(publicUrl.startsWith(url)).toBe(true);
      expect(Buffer.from(await (await fetch(publicUrl)).arrayBuffer()).equals(bytes)).toBe(true);
    });

    test("leads to a server below a path, whether it passes the path on or removes it", async ({ skip }) => {
      skip(isMissing, `${program} is not installed`);
      const { url, direct, startProxy } = await serverAt("/chat");
      for (const block of [blocks.passed, blocks.removed]) {
        const stop = await startProxy(block);
        const ada = adaOn({ url });
        const { run_id } = await startRun(ada, "Talk on\nendless gap=50");
        const { stream } = await waitForFirstWord(ada, run_id);
        await ada.call("runs.stop", { params: { run_id } });
        await stream.rest();

        // The protocol's own clients.
        for (const [, client] of clients) {
          const cloud = keyCloud(client, { url } as TestServer);
          const { signedUrl, publicUrl } = await cloud.files.generatePresignedUploadUrl({
            filename: "a.txt",
          });
          expect(publicUrl.startsWith(`${url}/v1/content/`)).toBe(true);
          expect((await fetch(signedUrl, { method: "PUT", body: "garden" })).ok).toBe(true);
          expect(await (await fetch(publicUrl)).text()).toBe("garden");
          const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
          const messages = [{ role: "user", content: [{ type: "text" as const, text: "tokens=4" }] }];
          const title = await client.generateThreadTitle(cloud, { threadId: thread_id, messages });
          expect((await cloud.threads.get(thread_id)).title).toBe(title);
        }

        // What leads away. `e2e/data/base-path.test.ts` looks at the pages.
        const { servers } = (await (await fetch(`${url}/openapi.json`)).json()) as {
          servers: { url: string }[];
        };
        expect(servers[0]).toEqual({ url: "/chat" });
        const moved = await fetch(`${url}/docs.html`, { redirect: "manual" });
        expect(moved.headers.get("location")).toBe("/chat/docs");
        expect((await fetch(`${url}/assets/none.js`)).status).toBe(404);
        for (const probe of ["/livez", "/readyz", "/healthz"])
          for (const base of [url, direct, `${direct}/chat`])
            expect((await fetch(base + probe)).status, base + probe).toBe(200);
        expect((await fetch(`${direct}/chatter/livez`)).status).toBe(404);
        await stop();
      }
    });
  },
);

test("nginx of the guide accepts the largest file and the largest import of the default settings", () => {
  const [, mebibytes] = /client_max_body_size (\d+)m;/.exec(nginx)!;
  const { files, importBytes } = readConfig("/", {});
  expect(Number(mebibytes) * 1024 * 1024).toBeGreaterThanOrEqual(Math.max(files.maxBytes, importBytes));
});

test("the routes of Traefik lead to its service and entry point", () => {
  type Names = Record<string, unknown>;
  type Router = { service: string; entryPoints: string[]; tls: { certResolver: string } };
  type Fixed = { entryPoints: Names; certificatesResolvers: Names };
  const [fixed, dynamic] = blocksOf("yaml").map((block) => parse(block) as unknown);
  const { entryPoints, certificatesResolvers } = fixed as Fixed;
  const { routers, services } = (dynamic as { http: { routers: Record<string, Router>; services: Names } })
    .http;
  const router = routers["parlance"]!;
  expect(Object.keys(services)).toEqual([router.service]);
  expect(Object.keys(entryPoints)).toEqual(router.entryPoints);
  expect(Object.keys(certificatesResolvers)).toEqual([router.tls.certResolver]);
});
