import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { readConfig } from "#server/settings/settings.ts";
import { sendAndWait, startRun, waitForFirstWord } from "../support/clients/conversation.ts";
import { attach } from "../support/data/files.ts";
import { freePort } from "../support/postgres/postgres-cluster.ts";
import { adaOn, childForTest, modelForTest, placeForTest } from "../support/test-scope.ts";

/** The blocks of docs/guides/proxies.md, in front of a real server where the program is installed. */

const page = await readFile("docs/guides/proxies.md", "utf8");
const blocksOf = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))].map(([, block]) => block!);
const [caddy, nginx] = [blocksOf("caddy")[0]!, blocksOf("nginx")[0]!];

const lacks = (program: string, flag: string) => spawnSync(program, [flag]).error !== undefined;
const name = "chat.example.com";

/** Writes the block's own configuration, and that without TLS which listens on the port. */
type Proxy = {
  prepare(folder: string, ports: { proxy: number; server: string }): Promise<void>;
  check: string[];
  start: string[];
};

const proxies: Record<string, Proxy> = {
  nginx: {
    async prepare(folder, ports) {
      const key = join(folder, "key.pem");
      const request = `req -x509 -newkey rsa:2048 -nodes -subj /CN=${name} -keyout ${key} -out ${key}.crt`;
      execFileSync("openssl", request.split(" "), { stdio: "ignore" });
      const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      );
      const whole = (server: string) =>
        `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; pid ${folder}/pid; error_log stderr;
         events {} http { access_log off; ${places.join(" ")} ${server} }`;
      const certified = nginx
        .replaceAll(/\/etc\S+fullchain.pem/g, `${key}.crt`)
        .replace(/\/etc\S+key.pem/, key);
      const plain = nginx.replaceAll(/^ *ssl_.*\n/gm, "").replace("443 ssl", `127.0.0.1:${ports.proxy}`);
      await writeFile(join(folder, "checked"), whole(certified));
      await writeFile(join(folder, "started"), whole(plain.replace("127.0.0.1:3000", ports.server)));
    },
    check: ["-t", "-q", "-c", "checked", "-p"],
    start: ["-c", "started", "-p"],
  },
  caddy: {
    async prepare(folder, ports) {
      const plain = caddy.replace(name, `http://localhost:${ports.proxy}`);
      await writeFile(join(folder, "checked"), caddy);
      await writeFile(
        join(folder, "started"),
        `{\nadmin off\n}\n${plain.replace("127.0.0.1:3000", ports.server)}`,
      );
    },
    check: ["validate", "--adapter", "caddyfile", "--config", "checked"],
    start: ["run", "--adapter", "caddyfile", "--config", "started"],
  },
};

describe.for(Object.entries(proxies))(
  "%s as the guide configures it",
  ([program, { prepare, check, start }]) => {
    const isMissing = lacks(program, program === "nginx" ? "-v" : "version");

    test("passes on answers while they are written, and large files", async ({ skip }) => {
      skip(isMissing, `${program} is not installed`);
      const place = await placeForTest("sqlite");
      const folder = join(place.dataDir, program);
      await mkdir(folder);
      const [port, behind] = [await freePort(), await freePort()];
      await childForTest(place, await modelForTest(), {
        PORT: String(behind),
        PUBLIC_URL: `http://localhost:${port}`,
        TRUST_PROXY: "1",
      });
      await prepare(folder, { proxy: port, server: `127.0.0.1:${behind}` });
      const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
      const where = program === "nginx" ? [`${folder}/`] : [];
      const checked = spawnSync(program, [...check, ...where], { ...options, encoding: "utf8" });
      expect(checked.status, checked.stderr).toBe(0);
      const proxy = spawn(program, [...start, ...where], { ...options, stdio: "ignore" });
      const ended = once(proxy, "exit");
      onTestFinished(async () => {
        proxy.kill("SIGTERM");
        await ended;
      });
      const url = `http://localhost:${port}`;
      await expect.poll(async () => (await fetch(`${url}/livez`).catch(() => undefined))?.status).toBe(200);

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
