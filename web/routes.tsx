import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { ChatScreen } from "./screens/chat-screen.tsx";
import { CrashScreen } from "./screens/crash-screen.tsx";
import { NotFoundScreen } from "./screens/not-found-screen.tsx";
import { Shell } from "./screens/shell.tsx";

/** Every screen of the app. */
const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});

const chat = createRoute({ getParentRoute: () => root, id: "chat", component: ChatScreen });
const newChat = createRoute({
  getParentRoute: () => chat,
  path: "/",
  // Whom it is to be with.
  validateSearch: ({ assistant }: Record<string, unknown>): { assistant?: string } =>
    typeof assistant === "string" ? { assistant } : {},
});
const thread = createRoute({
  getParentRoute: () => chat,
  path: "/t/$threadId",
  // A message to go to, and a file of it to open.
  validateSearch: ({ m, file }: Record<string, unknown>): { m?: string; file?: string } =>
    typeof m === "string" ? { m, ...(typeof file === "string" ? { file } : {}) } : {},
});

const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => (typeof q === "string" ? { q } : {}),
  component: lazyRouteComponent(() => import("./screens/search-screen.tsx"), "SearchScreen"),
});
const archive = createRoute({
  getParentRoute: () => root,
  path: "/archive",
  component: lazyRouteComponent(() => import("./screens/archive-screen.tsx"), "ArchiveScreen"),
});
const trash = createRoute({
  getParentRoute: () => root,
  path: "/trash",
  component: lazyRouteComponent(() => import("./screens/trash-screen.tsx"), "TrashScreen"),
});
const files = createRoute({
  getParentRoute: () => root,
  path: "/files",
  component: lazyRouteComponent(() => import("./screens/files-screen.tsx"), "FilesScreen"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./screens/settings-screen.tsx"), "SettingsScreen"),
});
const assistants = createRoute({
  getParentRoute: () => root,
  path: "/settings/assistants",
  component: lazyRouteComponent(() => import("./screens/assistants-screen.tsx"), "AssistantsScreen"),
});
const newAssistant = createRoute({
  getParentRoute: () => root,
  path: "/settings/assistants/new",
  component: lazyRouteComponent(() => import("./screens/assistant-screen.tsx"), "NewAssistantScreen"),
});
const assistant = createRoute({
  getParentRoute: () => root,
  path: "/settings/assistants/$assistantId",
  component: lazyRouteComponent(() => import("./screens/assistant-screen.tsx"), "AssistantScreen"),
});
const owner = createRoute({
  getParentRoute: () => root,
  path: "/owner",
  component: lazyRouteComponent(() => import("./screens/owner-screen.tsx"), "OwnerScreen"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    chat.addChildren([newChat, thread]),
    search,
    archive,
    trash,
    files,
    settings,
    assistants,
    newAssistant,
    assistant,
    owner,
  ]),
  defaultErrorComponent: CrashScreen,
  // Addresses as people write them: texts, and no JSON.
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(
      Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ).toString();
    return query === "" ? "" : `?${query}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
