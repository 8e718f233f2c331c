import { defineConfig } from "vite";

// The renderer of shared threads, which the server loads. Its classes are those of the web app's build, and so are the
// addresses of its fonts.
export default defineConfig({
  root: "web",
  publicDir: false,
  ssr: { noExternal: true },
  // The server may run without it, and the development version of React takes several times as long.
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    ssr: "share/render.tsx",
    ssrEmitAssets: true,
    outDir: "../dist/share",
    emptyOutDir: true,
    target: "node24",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: { output: { entryFileNames: "render.js" } },
  },
});
