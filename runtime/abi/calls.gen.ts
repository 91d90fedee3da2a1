// Generated from the types of runtime/abi by `npm run types`. Change those, not this file.

/** What `gwc/runtime` exports, each with its type: "T()" is called and gives a T, "" has no members. Promises count as what they bring. */
export const RUNTIME_EXPORTS: Readonly<Record<string, string>> = {
  "addresses": "Addresses()",
  "base64": "()",
  "decodeUtf8": "()",
  "defineGlobalRule": "PipelineModule()",
  "definePluginMetadata": "PluginMetadataModule()",
  "defineRecord": "()()",
  "defineRoute": "PipelineModule()",
  "encodeUtf8": "()",
  "escapedPathText": "()",
  "escapedQueryText": "()",
  "fieldText": "()",
  "filter": "BodyFilter()",
  "headerEdits": "()",
  "joinQuery": "()",
  "linear": "RegExp()",
  "matches": "()",
  "oneOf": "ReadonlySet()",
  "pathText": "()",
  "queryText": "()",
  "rawText": "()",
  "re2": "RegExp()",
  "recordText": "()",
  "replaceInPath": "()",
  "replaceInTarget": "()",
  "toNumber": "()",
  "utf8": "()",
  "withoutParameter": "()",
  "wrappedLines": "Array()"
};

/** Members of the types that modules get to see. */
export const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Addresses": {
    "has": "()"
  },
  "BodyFilter": {
    "apply": "()",
    "rules": "Array",
    "maxBytes": "",
    "syncBytes": "",
    "oversize": "",
    "open": ""
  },
  "ByteBudget": {
    "bufferedBytes": "",
    "limits": ""
  },
  "CapturedBody": {
    "text": "",
    "coding": "",
    "size": "",
    "budget": "ByteBudget"
  },
  "Credentials": {
    "headers": "Array",
    "query": "Array",
    "copies": "Array"
  },
  "Exchange": {
    "request": "ReceivedRequest",
    "upstream": "UpstreamRequest",
    "response": "ExchangeResponse",
    "method": "",
    "requestUri": "",
    "uri": "",
    "args": "",
    "host": "",
    "scheme": "",
    "serverProtocol": "",
    "remoteAddr": "",
    "remotePort": "",
    "serverAddr": "",
    "serverPort": "",
    "startedAt": "",
    "requestId": "",
    "routeId": "",
    "routeName": "",
    "serviceId": "",
    "serviceName": "",
    "consumerName": "",
    "arg": "()",
    "cookie": "()",
    "uriParam": "()",
    "variable": "()",
    "captures": "Array",
    "requestLength": "",
    "bytesSent": "",
    "upstreamAddr": "",
    "latency": "",
    "upstreamLatency": "",
    "bufferBody": "()",
    "removeBodyRange": "()",
    "captureRequest": "()",
    "captureResponse": "()",
    "captured": "CapturedBody()",
    "formField": "()",
    "bodyValue": "()",
    "graphql": "()",
    "delayEndOfResponse": "()",
    "credentials": "Credentials",
    "pluginMetadata": "PluginMetadataModule()",
    "respond": "()"
  },
  "ExchangeResponse": {
    "status": "",
    "headers": "Headers",
    "isLocalReply": "",
    "received": "()",
    "receivedAll": "Array()",
    "replaceBody": "()",
    "filterBody": "()"
  },
  "Headers": {
    "set": "()",
    "append": "()",
    "prepend": "()",
    "delete": "()",
    "edit": "()",
    "get": "()",
    "getAll": "Array()",
    "has": "()",
    "names": "Array()",
    "forEach": "()"
  },
  "PipelineModule": {
    "id": "",
    "resources": "Array",
    "credentials": "",
    "withheld": "WithheldFields",
    "match": "",
    "rewrite": "",
    "access": "",
    "captureRequest": "",
    "headerFilter": "",
    "acknowledge": "",
    "log": "",
    "pathTests": ""
  },
  "PluginMetadataModule": {
    "id": "",
    "record": "",
    "extra": "",
    "settings": ""
  },
  "ReadonlyHeaders": {
    "get": "()",
    "getAll": "Array()",
    "has": "()",
    "names": "Array()",
    "forEach": "()"
  },
  "ReceivedRequest": {
    "headers": "ReadonlyHeaders"
  },
  "RecordView": {
    "request": "",
    "response": "",
    "target": "()",
    "query": "()",
    "line": "()",
    "field": "()",
    "parameter": "()"
  },
  "UpstreamRequest": {
    "method": "",
    "target": "",
    "verbatim": "",
    "host": "",
    "headers": "Headers",
    "forwardingLines": "",
    "requestFullBody": "()"
  },
  "WithheldFields": {
    "request": "Array",
    "response": "Array"
  }
};

/** Members that may be assigned. */
export const SETTERS: Readonly<Record<string, readonly string[]>> = {
  "ByteBudget": [
    "bufferedBytes"
  ],
  "Exchange": [
    "consumerName",
    "captures"
  ],
  "ExchangeResponse": [
    "status"
  ],
  "UpstreamRequest": [
    "method",
    "target",
    "verbatim",
    "host"
  ]
};
