import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The server that `npm run dev` started; it tells us its port, because it may have moved.
const server = `http://127.0.0.1:${process.env.PORT ?? "3000"}`;

export default defineConfig({
  root: "web",
  plugins: [react()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    // The two years of browsers that we promise in the operator's guide.
    target: ["chrome120", "firefox121", "safari17.2"],
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      "/v1": server,
      "/healthz": server,
      "/openapi.json": server,
    },
  },
});
