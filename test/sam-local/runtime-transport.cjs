// What aws-lambda-ric has as an addon around curl, by node:http: how invocations come, and answers go.
const { request } = require('node:http');

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation/`;
/** The answer that is under way: the next invocation is asked for after it. @type {Promise<unknown>} */
let sent = Promise.resolve();

/**
 * @param {string} method
 * @param {string} path
 * @param {string} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ bodyJson: string, headers: import('node:http').IncomingHttpHeaders }>}
 */
function call(method, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const asked = request(api + path, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ bodyJson: text, headers: response.headers })).on('error', reject);
    });
    asked.on('error', reject).end(body);
  });
}

exports.next = () => sent.then(() => call('GET', 'next'));

/** @param {string} id @param {string} body */
exports.done = (id, body) => {
  sent = call('POST', `${id}/response`, body, { 'Content-Type': 'application/json' });
};

/** @param {string} id @param {string} body */
exports.error = (id, body) => {
  const { errorType } = JSON.parse(body);
  sent = call('POST', `${id}/error`, body, {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Function-Error-Type': errorType,
  });
};
