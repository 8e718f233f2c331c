import { once } from "node:events";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TestProject } from "vitest/node";

const variable = "TEST_SERVER_BUNDLE";
const root = fileURLToPath(new URL("../..", import.meta.url));
const entry = join(root, "server/app/start.ts");
/** Always the same, so that Node's compile cache has one version. */
const folder = join(root, "node_modules/.cache/test-server");

/**
 * During the run, a request to the URL in TEST_SERVER_BUNDLE puts the server's modules into one file, if that has not
 * happened, and returns Node's arguments that start from it: a start takes half of the CPU time of loading 1,600 modules.
 */
export async function setup(project: TestProject): Promise<() => void> {
  let built: Promise<string> | undefined;
  // In watch mode, the server may have changed.
  project.onTestsRerun(() => void (built = undefined));
  const launcher = createServer((_request, response) => {
    (built ??= buildBundle()).then(
      (preload) => response.end(JSON.stringify(["--import", preload])),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, "127.0.0.1");
  await once(launcher, "listening");
  process.env[variable] = `http://127.0.0.1:${(launcher.address() as AddressInfo).port}`;
  return () => {
    delete process.env[variable];
    launcher.close();
    launcher.closeAllConnections();
  };
}

/** Node's arguments for a quick start of the server's programs; none outside a run. */
export async function bundleArgs(): Promise<string[]> {
  const url = process.env[variable];
  if (url === undefined) return [];
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`The server could not be bundled: ${await answer.text()}`);
  return (await answer.json()) as string[];
}

/** Returns the URL of a module that makes Node load the bundle in place of the module that starts the server. */
async function buildBundle(): Promise<string> {
  // The tests' processes import this file too.
  const { build } = await import("vite");
  const output = await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: "error",
    plugins: [{ name: "own-urls", enforce: "pre", transform: keepOwnUrls }],
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      write: false,
      minify: false,
      target: "esnext",
      rolldownOptions: { external: ["pg-native"], output: { codeSplitting: false } },
    },
  });
  const [chunk] = [output].flat().flatMap((each) => ("output" in each ? each.output : []));
  if (chunk?.type !== "chunk") throw new Error("Vite built no chunk.");
  const bundle = await replaceFile("start.js", chunk.code);
  return await replaceFile("preload.mjs", preloadFor(bundle));
}

/** Threads and child processes, and the files beside a module, are the original ones. */
function keepOwnUrls(code: string, id: string): string | undefined {
  if (!code.includes("import.meta.")) return undefined;
  return code
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
}

function preloadFor(bundle: string): string {
  return `import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";
const hooks = registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (found.url !== ${JSON.stringify(pathToFileURL(entry).href)}) return found;
    hooks.deregister();
    return { url: ${JSON.stringify(bundle)}, format: "module", shortCircuit: true };
  },
});
if (!isMainThread) hooks.deregister();
`;
}

/** Replaces it at once: another run may be reading it. */
async function replaceFile(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(`${path}.${process.pid}`, text);
  await rename(`${path}.${process.pid}`, path);
  return pathToFileURL(path).href;
}
