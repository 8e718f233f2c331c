/**
 * Where each endpoint stands: its method and path, with `{name}` for each path parameter. Apart from `api.ts`, which
 * builds upon it, so that a browser can call the service without carrying the schemas that the server checks with.
 */
export const paths = {
  "auth.signUpAnonymous": { method: "POST", path: "/v1/auth/tokens/anonymous" },
  "auth.refresh": { method: "POST", path: "/v1/auth/tokens/refresh" },
  "auth.mint": { method: "POST", path: "/v1/auth/tokens" },
  "auth.openSession": { method: "POST", path: "/v1/auth/session" },
  "auth.closeSession": { method: "DELETE", path: "/v1/auth/session" },
  "auth.me": { method: "GET", path: "/v1/auth/me" },

  "threads.list": { method: "GET", path: "/v1/threads" },
  "threads.create": { method: "POST", path: "/v1/threads" },
  "threads.claim": { method: "POST", path: "/v1/threads/claim" },
  "threads.get": { method: "GET", path: "/v1/threads/{thread_id}" },
  "threads.update": { method: "PUT", path: "/v1/threads/{thread_id}" },
  "threads.remove": { method: "DELETE", path: "/v1/threads/{thread_id}" },
  "threads.restore": { method: "POST", path: "/v1/threads/{thread_id}/restore" },
  "threads.askAgain": { method: "DELETE", path: "/v1/threads/{thread_id}/allowed-tools/{tool_name}" },

  "exports.thread": { method: "GET", path: "/v1/threads/{thread_id}/export" },
  "exports.everything": { method: "GET", path: "/v1/export" },
  "imports.add": { method: "POST", path: "/v1/import" },

  "trash.list": { method: "GET", path: "/v1/trash" },
  "trash.empty": { method: "DELETE", path: "/v1/trash" },
  "trash.remove": { method: "DELETE", path: "/v1/trash/{thread_id}" },

  "messages.list": { method: "GET", path: "/v1/threads/{thread_id}/messages" },
  "messages.add": { method: "POST", path: "/v1/threads/{thread_id}/messages" },
  "messages.update": { method: "PUT", path: "/v1/threads/{thread_id}/messages/{message_id}" },
  "messages.remove": { method: "DELETE", path: "/v1/threads/{thread_id}/messages" },
  "messages.feedback": { method: "POST", path: "/v1/threads/{thread_id}/messages/{message_id}/feedback" },
  "messages.withdrawFeedback": {
    method: "DELETE",
    path: "/v1/threads/{thread_id}/messages/{message_id}/feedback",
  },
  "messages.branch": { method: "GET", path: "/v1/threads/{thread_id}/branch" },
  "messages.setHead": { method: "PUT", path: "/v1/threads/{thread_id}/head" },

  "runs.start": { method: "POST", path: "/v1/threads/{thread_id}/runs" },
  "runs.get": { method: "GET", path: "/v1/runs/{run_id}" },
  "runs.events": { method: "GET", path: "/v1/runs/{run_id}/events" },
  "runs.continue": { method: "POST", path: "/v1/runs/{run_id}/continue" },
  "runs.stop": { method: "POST", path: "/v1/runs/{run_id}/stop" },
  "runs.approve": { method: "POST", path: "/v1/runs/{run_id}/approvals" },
  "runs.giveResult": { method: "POST", path: "/v1/runs/{run_id}/tool-results" },
  "runs.stream": { method: "POST", path: "/v1/runs/stream" },
  "runs.report": { method: "POST", path: "/v1/runs" },

  "queue.update": { method: "PUT", path: "/v1/threads/{thread_id}/queue/{queued_id}" },
  "queue.remove": { method: "DELETE", path: "/v1/threads/{thread_id}/queue/{queued_id}" },
  "queue.send": { method: "POST", path: "/v1/threads/{thread_id}/queue/{queued_id}/send" },

  "traces.add": { method: "POST", path: "/v1/traces" },

  "files.upload": { method: "POST", path: "/v1/files/attachments/generate-presigned-upload-url" },
  "files.download": { method: "POST", path: "/v1/files/attachments/generate-presigned-download-url" },
  "files.list": { method: "GET", path: "/v1/files" },
  "files.get": { method: "GET", path: "/v1/files/{file_id}" },
  "files.remove": { method: "DELETE", path: "/v1/files/{file_id}" },
  "files.receive": { method: "PUT", path: "/v1/files/{file_id}/content" },
  "files.read": { method: "GET", path: "/v1/files/{file_id}/content" },
  "files.thumbnail": { method: "GET", path: "/v1/files/{file_id}/thumbnail" },
  "files.open": { method: "GET", path: "/v1/content/{file_id}/{file_secret}" },
  "files.openPage": { method: "GET", path: "/v1/pages/{page_id}" },
  "files.pdfToImages": { method: "POST", path: "/v1/files/pdf-to-images" },

  "scores.put": { method: "POST", path: "/v1/scores" },
  "events.add": { method: "POST", path: "/v1/events" },

  "projects.threads": { method: "GET", path: "/v1/projects/threads" },
  "projects.messages": { method: "GET", path: "/v1/projects/threads/{thread_id}/messages" },
  "projects.runs": { method: "GET", path: "/v1/projects/runs" },
  "projects.run": { method: "GET", path: "/v1/projects/runs/{run_id}" },
  "projects.usage": { method: "GET", path: "/v1/projects/usage/daily" },
  "projects.usagePeriod": { method: "GET", path: "/v1/projects/usage/period" },
  "projects.scores": { method: "GET", path: "/v1/projects/scores" },
  "projects.eraseUser": { method: "DELETE", path: "/v1/projects/users/{user_id}" },

  "search.find": { method: "GET", path: "/v1/search" },

  "mcp.call": { method: "POST", path: "/v1/mcp" },

  "live.follow": { method: "GET", path: "/v1/live" },
  "models.list": { method: "GET", path: "/v1/models" },

  "assistants.list": { method: "GET", path: "/v1/assistants" },
  "assistants.create": { method: "POST", path: "/v1/assistants" },
  "assistants.reorder": { method: "PUT", path: "/v1/assistants" },
  "assistants.get": { method: "GET", path: "/v1/assistants/{assistant_id}" },
  "assistants.update": { method: "PUT", path: "/v1/assistants/{assistant_id}" },
  "assistants.remove": { method: "DELETE", path: "/v1/assistants/{assistant_id}" },
  "assistants.restore": { method: "POST", path: "/v1/assistants/{assistant_id}/restore" },
  "tools.list": { method: "GET", path: "/v1/tools" },

  "erasure.everything": { method: "DELETE", path: "/v1/everything" },
} as const satisfies Record<string, Place>;

type Place = { method: "GET" | "POST" | "PUT" | "DELETE"; path: string };

export type EndpointName = keyof typeof paths;
