export { PanelMemory } from "./memory/panel-memory.tsx";
export { Panel } from "./panel.tsx";
export { InlineDiagram } from "./program/inline-diagram.tsx";
