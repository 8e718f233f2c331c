// Two servers for someone who is changing the code: ours, started anew when a file of it changes, and Vite's,
// which updates the page in place and passes the calls on to ours.
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { inRoot, root } from "./runner/files.mjs";
import { startWatched } from "./watched-server.ts";

const kept = existsSync(inRoot(".env")) ? parseEnv(readFileSync(inRoot(".env"), "utf8")) : {};
const PORT = process.env.PORT ?? kept.PORT ?? "3000";

startWatched(["server/main.ts", ...process.argv.slice(2)], { cwd: root, env: { ...process.env, PORT } });

process.env.PORT = PORT;
const { createServer } = await import("vite");
const vite = await createServer({ configFile: inRoot("vite.config.ts") });
await vite.listen();
console.log("\nThe page that updates itself, and passes its calls on to the server:");
vite.printUrls();
