import type { Plugin } from "vite";

type Reply = { header(name: string, value: string): Reply; send(content: string): void };
type Route = { url: string; handler(request: unknown, reply: Reply): void };

const fileName = "scalar.js";

/** Puts Scalar's browser bundle, which shows the API reference, into the build, and its script tag into docs.html. */
export function scalarBundle(): Plugin {
  return {
    name: "scalar-bundle",
    apply: "build",
    async buildStart() {
      // Without this, Scalar's zod tries `new Function`, which the page's policy reports as a violation.
      const source = `globalThis.__zod_globalConfig = { jitless: true };\n${await readBundle()}`;
      const originalFileName = "node_modules/@scalar/fastify-api-reference/dist/index.js";
      this.emitFile({ type: "asset", name: fileName, originalFileName, source });
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { path, bundle = {} }) {
        if (path !== "/docs.html") return html;
        const asset = Object.values(bundle).find(
          (file) => file.type === "asset" && file.names.includes(fileName),
        );
        if (asset === undefined) throw new Error(`The build has no ${fileName}.`);
        const attrs = { src: `/${asset.fileName}` };
        return [{ tag: "script", attrs, injectTo: "body" }];
      },
    },
  };
}

/**
 * Asks Scalar's Fastify plugin for the script that it serves. `@scalar/api-reference` has the same script as a file, but
 * comes with 270 packages (290 MB) that only its source needs; the plugin comes with 14.
 */
async function readBundle(): Promise<string> {
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  const routes: Route[] = [];
  const app = { hasPlugin: () => false, route: (route: Route) => routes.push(route) };
  plugin(app, { configuration: { url: "/openapi.json" } }, () => {});
  let script = "";
  const reply: Reply = { header: () => reply, send: (content) => void (script = content) };
  routes.find(({ url }) => url.endsWith("/js/scalar.js"))?.handler(undefined, reply);
  if (script === "")
    throw new Error("@scalar/fastify-api-reference no longer serves its script as js/scalar.js.");
  return script;
}
