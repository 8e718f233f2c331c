export { Panel } from "./panel.tsx";
export { InlineDiagram } from "./program/inline-diagram.tsx";
