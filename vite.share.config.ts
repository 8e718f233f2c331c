import { defineConfig } from "vite";
import { bundledPackages } from "./scripts/vite/bundled-packages.ts";

// The renderers of shared threads: of the page, which the server loads, and of the messages, which its worker thread loads.
// Their classes are those of the web app's build, and so are the addresses of their fonts.
export default defineConfig({
  root: "web",
  publicDir: false,
  plugins: [bundledPackages().ofPage],
  ssr: { noExternal: true },
  // The server may run without it, and the development version of React takes several times as long.
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    ssr: true,
    ssrEmitAssets: true,
    outDir: "../dist/share",
    emptyOutDir: true,
    target: "node24",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      // The styles keep this order.
      input: { messages: "web/share/message-renderer.tsx", page: "web/share/page-renderer.tsx" },
      output: { entryFileNames: "[name].js" },
    },
  },
});
