export { MentionMenu } from "./mention-menu.tsx";
export { SlashMenu } from "./slash-menu.tsx";
