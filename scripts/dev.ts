// Two servers for development: Parlance, restarted when one of its files changes, and Vite, which updates the page in place
// and proxies API calls to Parlance.
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { inRoot, root } from "./runner/files.mjs";
import { startWatched } from "./watched-server.ts";

const dotEnv = existsSync(inRoot(".env")) ? parseEnv(readFileSync(inRoot(".env"), "utf8")) : {};
const PORT = process.env.PORT ?? dotEnv.PORT ?? "3000";

// A change restarts the server at once, also during an answer.
const env = { SHUTDOWN_GRACE_SECONDS: "0", ...process.env, PORT };
startWatched(["server/main.mjs", ...process.argv.slice(2)], { cwd: root, env });

process.env.PORT = PORT;
const { createServer } = await import("vite");
const vite = await createServer({ configFile: inRoot("vite.config.ts") });
await vite.listen();
console.log("\nVite, with hot reload and a proxy to the server:");
vite.printUrls();
