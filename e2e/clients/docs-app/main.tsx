import { createRoot } from "react-dom/client";
import blocks from "virtual:blocks";
import { PrimitivesChat } from "../app/primitives-chat.tsx";

const App = blocks[new URLSearchParams(location.search).get("block") ?? ""]?.App;
const root = document.getElementById("root");
if (App !== undefined && root !== null)
  createRoot(root).render(
    <App>
      <PrimitivesChat />
    </App>,
  );
