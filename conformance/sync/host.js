// What a WebNN test file of web-platform-tests finds around it, and nothing that reaches outside. Tests are not run:
// webnn_conformance_test, which upstream's resources/utils.js defines for that, is replaced by a function that keeps
// what it is given, after utils.js has been evaluated.
'use strict';

var self = globalThis;
var location = {search: '', href: 'https://web-platform.test/webnn/test.html', pathname: '/webnn/test.html'};
var URLSearchParams = class {
  get() { return null; }
  getAll() { return []; }
  has() { return false; }
};
var MLGraphBuilder = class {};
var navigator = {ml: {}};
var test = () => {};
var promise_test = () => {};
var async_test = () => {};
var promise_setup = () => {};
var setup = () => {};
var subsetTest = () => {};
var add_completion_callback = () => {};
var AssertionError = class extends Error {};

var __calls = [];

function __record(tests, execute, tolerance) {
  if (!Array.isArray(tests)) throw new TypeError('webnn_conformance_test: the first argument must be a list of cases');
  __calls.push({tests, tolerance});
}

// JSON as the corpus has it: integers with all their digits, -0 as -0.0, what JSON lacks as a string.
function __text(value, path, around) {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) return `"${value}"`;
      if (Object.is(value, -0)) return '-0.0';
      return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(BigInt(value)) : String(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'string':
      return JSON.stringify(value);
    case 'object':
      break;
    default:
      throw new TypeError(`${path} is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}`);
  }
  if (value === null) return 'null';
  if (around.includes(value)) throw new TypeError(`${path} contains itself`);
  const inside = [...around, value];
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return `[${Array.from(value, (item, i) => __text(item, `${path}[${i}]`, inside)).join(', ')}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([k, v]) => `${JSON.stringify(k)}: ${__text(v, `${path}.${k}`, inside)}`).join(', ')}}`;
}

// Upstream makes typed arrays of `data`, which read strings as numbers.
function __graph(graph) {
  const read = resource => {
    const number = resource.descriptor?.dataType?.endsWith('int64') ? BigInt : Number;
    const data = value => typeof value === 'string' ? number(value) : value;
    return Array.isArray(resource.data) ? {...resource, data: resource.data.map(data)} : resource;
  };
  const all = group => Object.fromEntries(Object.entries(group).map(([name, resource]) => [name, read(resource)]));
  return {...graph, inputs: all(graph.inputs), expectedOutputs: all(graph.expectedOutputs)};
}

// A case as a line of JSON. Its tolerance is what upstream's function says of the graph; one that asks for the shapes of
// intermediate operands, which only a graph builder knows, keeps the function's name.
function __case(one, tolerance) {
  const graph = one.graph;
  let allowed;
  try {
    const said = tolerance(graph, {});
    allowed = said.value === undefined ? {metricType: said.metricType, undefinedUpstream: true} : said;
  } catch (error) {
    if (!(error instanceof TypeError) || graph.operators.length < 2) throw error;
    allowed = {function: tolerance.name, needsShapes: true, undefinedUpstream: true};
  }
  return `{"name": ${__text(one.name, 'name', [])}, "graph": ${__text(__graph(graph), 'graph', [])}, ` +
      `"tolerance": ${__text(allowed, 'tolerance', [])}}`;
}

// All cases of the file: [line or null, name, problem] each.
function __cases() {
  return JSON.stringify(__calls.flatMap(({tests, tolerance}) => tests.map((one, index) => {
    const name = typeof one?.name === 'string' ? one.name : `(case ${index})`;
    try {
      return [__case(one, tolerance), name, ''];
    } catch (error) {
      return [null, name, String(error?.message ?? error)];
    }
  })));
}

// What upstream's tolerance function allows a case, given the shapes of its operands by name.
function __allowed(name, shapes) {
  const operands = Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, {shape}]));
  const {tests, tolerance} = __calls.find(call => call.tests.some(one => one.name === name));
  return __text(tolerance(tests.find(one => one.name === name).graph, operands), 'tolerance', []);
}
