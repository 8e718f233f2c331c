import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { bundledPackages } from "./scripts/vite/bundled-packages.ts";
import { preloadedModule } from "./scripts/vite/preloaded-module.ts";
import { firstPaint } from "./scripts/vite/first-paint.ts";
import { languageFiles } from "./scripts/vite/language-files.ts";
import { precompress } from "./scripts/vite/precompress.ts";
import { shortClassNames } from "./scripts/vite/short-class-names.ts";
import { smallPreloadHelper } from "./scripts/vite/small-preload-helper.ts";
import { shownErrors } from "./scripts/vite/shown-errors.ts";
import { constantModule } from "./scripts/vite/constant-module.ts";
import { usedValues } from "./scripts/vite/used-values.ts";
import { scalarBundle } from "./scripts/vite/scalar-bundle.ts";
import { withoutPageTools } from "./scripts/vite/without-page-tools.ts";
import { languages } from "./web/i18n/languages.ts";

// The server that `npm run dev` starts, on the port of PORT.
const server = `http://127.0.0.1:${process.env.PORT ?? "3000"}`;

/** The values of the contract in the bundles. The page calls endpoints by name, a worker calls only a few paths. */
const contractValues = (paths = constantModule) => [
  paths("/contract/paths.ts", "requestLines"),
  constantModule("/contract/facts/id-prefixes.ts", "idPrefixes"),
  constantModule("/contract/accounts/audit-actions.ts", "auditActions"),
  usedValues("/contract/limits.ts", "limits"),
  usedValues("/contract/form-fields.ts", "formFields", { isSplit: true }),
  usedValues("/contract/facts/error-sentences.ts", "errorSentences", { isSplit: true }),
  shownErrors(),
];

const packages = bundledPackages();

export default defineConfig({
  root: "web",
  plugins: [
    react(),
    shortClassNames(),
    ...contractValues(),
    languageFiles(languages),
    preloadedModule("/web/app/start.tsx"),
    firstPaint(),
    smallPreloadHelper(),
    withoutPageTools(),
    scalarBundle(),
    precompress(),
    packages.ofPage,
  ],
  // Web workers are bundled with these plugins only.
  worker: { plugins: () => [...contractValues(usedValues), packages.ofWorkers()] },
  // Scripts and styles name their files relative to themselves, so that the build works below any path. The server writes
  // that path into its pages.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    // Every target preloads modules by itself.
    modulePreload: { polyfill: false },
    target: ["chrome120", "firefox124", "safari17.4"],
    // The page's content security policy allows fonts and scripts only from its own origin, so no data: URLs.
    assetsInlineLimit: 0,
    // The app and the API reference.
    rolldownOptions: {
      input: ["web/index.html", "web/docs.html"],
      output: {
        codeSplitting: {
          groups: [
            // The page's own script needs it before the app.
            { name: "preload-helper", test: /vite\/preload-helper/, priority: 1 },
            // One file for everything that starts the app.
            { name: "start", test: /\/web\/app\/start\.tsx$/ },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      // Keep the page's Host header: the server compares it with the Origin before it accepts a cookie.
      "/v1": { target: server, changeOrigin: false },
      "/openai": { target: server, changeOrigin: false },
      "/healthz": server,
      "/livez": server,
      "/readyz": server,
      "/openapi.json": server,
      "/docs": server,
      "/program": server,
      // Shared threads, as the last build renders them.
      "/s/": server,
      // The build contains the script of /docs, and the notices.
      "/assets": server,
      "/third-party-notices.txt": server,
    },
  },
});
